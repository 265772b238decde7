import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { isInstalled, type NodeProcess, type RuntimeName, startNode } from '../../runtime/nodeProcess.ts'
import { measureLoad, requestBytes } from './load.ts'
import { quietAndStormy } from './storm.ts'
import { type BenchOptions, median, msText, type Row } from '../measure.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
const CONNECTIONS = 16

type Tokens = { readonly keyFile: string; readonly token: string }

/** A key as the operator would give it, and a token as an issuer would. */
const createTokens = async (folder: string): Promise<Tokens> => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  const keyFile = join(folder, 'key.pem')
  writeFileSync(keyFile, await exportSPKI(publicKey))
  const token = await new SignJWT({ permissions: ['eth:*', 'net:version'], username: 'bench' })
    .setProtectedHeader({ alg: 'RS256' })
    .setExpirationTime('2h')
    .sign(privateKey)
  return { keyFile, token }
}

const portOf = ({ url }: NodeProcess): number => Number(new URL(url).port)

/** Two nodes, measured in turns, so that what else the machine does falls on both. */
const benchRuntime = async (
  runtime: RuntimeName,
  { keyFile, token }: Tokens,
  folder: string,
  quick: boolean,
): Promise<Row> => {
  const off = await startNode(join(folder, `${runtime}-off`), [], { runtime })
  const on = await startNode(
    join(folder, `${runtime}-on`),
    ['--rpc-http-authentication-enabled', `--rpc-http-authentication-jwt-public-key-file=${keyFile}`],
    { runtime },
  )
  try {
    // Short and many: what else the machine does then falls on both of a pair.
    const ms = 250
    const window = async (node: NodeProcess, headers: Readonly<Record<string, string>>): Promise<number> => {
      const load = { connections: CONNECTIONS, ms }
      const { perSecond, answer } = await measureLoad(portOf(node), requestBytes(BODY, headers), load)
      if (!answer.includes('"result"')) throw new Error(`the node answered ${answer}`)
      return perSecond
    }
    const rates: { off: number; on: number }[] = []
    for (let round = 0; round < (quick ? 12 : 40); round++)
      rates.push({ off: await window(off, {}), on: await window(on, { authorization: `Bearer ${token}` }) })
    // The first are for the compilers.
    const counted = rates.slice(4)
    return {
      name: `eth_blockNumber on ${runtime}`,
      values: {
        'off, 1/s': median(counted.map(rate => rate.off)).toFixed(0),
        'on, 1/s': median(counted.map(rate => rate.on)).toFixed(0),
        'on / off': median(counted.map(rate => rate.on / rate.off)).toFixed(2),
      },
    }
  } finally {
    await off.stop()
    await on.stop()
  }
}

const benchStorm = async (runtime: RuntimeName, folder: string, quick: boolean): Promise<Row> => {
  const { quiet, stormy, logins } = await quietAndStormy(runtime, folder, quick ? 3_000 : 8_000)
  return {
    name: `p99 beside ${logins.toFixed(0)} wrong logins/s, ${runtime}`,
    values: { 'quiet, ms': msText(quiet), 'stormy, ms': msText(stormy) },
  }
}

/** What a token costs each request, and what wrong passwords cost everybody else. */
export const benchAuth = async (options: BenchOptions): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  try {
    const tokens = await createTokens(folder)
    for (const runtime of RUNTIMES.filter(isInstalled))
      await options.row(`eth_blockNumber on ${runtime}`, () =>
        benchRuntime(runtime, tokens, folder, options.quick),
      )
    for (const runtime of RUNTIMES.filter(isInstalled))
      await options.row(`p99 beside wrong logins, ${runtime}`, () =>
        benchStorm(runtime, folder, options.quick),
      )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
