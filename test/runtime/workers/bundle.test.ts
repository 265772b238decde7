import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { DENIALS_OF_ADDRESS_MAX } from '../../../handlers/auth/audit.ts'
import {
  ask,
  differentAnswers,
  makeTokenChain,
  readerRequests,
} from '../../support/readers/readerRequests.ts'
import { bundleWorker, startWorkerd, type WorkerdProcess } from '../../support/servers/workerd.ts'
import { until } from '../../support/until.ts'
import { type NodeProcess, startNode } from '../nodeProcess.ts'

setDefaultTimeout(120_000)

const SECRET = 'a secret of this deployment'
const APIS = 'ETH,NET,WEB3,QBFT,DEBUG,TXPOOL'
const GAS_CAP = '3000000'
const DENIALS_AT_ONCE = 20
/** The longest body of a Worker, and more clients than its memory for bodies is enough for. */
const BODY_BYTES = 1024 * 1024
const LEAVING_CLIENTS = 48
const CLIENTS_MORE = 8

const folder = mkdtempSync(join(tmpdir(), 'quorate-bundle-'))
const bundle = join(folder, 'bundle')
beforeAll(() => bundleWorker(bundle))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('given the deployment, when it is bundled, then it fits a free plan and has no GraphiQL', () => {
  const text = readFileSync(join(bundle, 'main.js'))
  // The free plan takes 3 MB compressed; the modules of WebAssembly, apart, add 44 KB.
  expect(Bun.gzipSync(new Uint8Array(text)).length).toBeLessThan(320 * 1024)
})

describe('the Worker in workerd alone, with RS256 tokens and answers that are proved', () => {
  let worker: WorkerdProcess
  let node: NodeProcess
  let privateKey: CryptoKey
  /** Adds a token to what is sent to the Worker. */
  let withToken: ReturnType<typeof Bun.serve>

  const tokenFor = (permission: string): Promise<string> =>
    new SignJWT({ permissions: [permission] })
      .setProtectedHeader({ alg: 'RS256' })
      .setExpirationTime('1h')
      .sign(privateKey)
  const send = (method: string, params: readonly unknown[], authorization?: string): Promise<Response> =>
    fetch(worker.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const tokenUrl = (): string => `http://127.0.0.1:${withToken.port}`
  /** Denials in the log. */
  const denials = (): number => worker.output().split('Denied ').length - 1

  beforeAll(async () => {
    const keys = await generateKeyPair('RS256', { extractable: true })
    privateKey = keys.privateKey
    const first = await startNode(folder, ['--min-gas-price=0'])
    await first.stop()
    worker = await startWorkerd(bundle, {
      GENESIS: JSON.stringify(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8'))),
      STORE_SECRET: SECRET,
      VERIFY: 'state',
      MIN_GAS_PRICE: '0',
      MAX_HEAD_AGE: '3',
      GAS_CAP,
      APIS,
      JWT_PUBLIC_KEY: await exportSPKI(keys.publicKey),
      JWT_ALGORITHM: 'RS256',
    })
    const authorization = `Bearer ${await tokenFor('*:*')}`
    withToken = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => {
        const headers = { 'content-type': 'application/json', authorization }
        return await fetch(worker.url, { method: 'POST', headers, body: await request.text() })
      },
    })
    node = await startNode(folder, [
      '--min-gas-price=0',
      `--rpc-http-api=${APIS}`,
      `--rpc-gas-cap=${GAS_CAP}`,
      `--replicate-to=http?url=${worker.url}&secret=${encodeURIComponent(SECRET)}`,
    ])
  })
  afterAll(async () => {
    await withToken?.stop(true)
    await node?.stop()
    await worker?.stop()
  })

  test('given a token, then each answer is that of the node to the byte and says that it is proved', async () => {
    const chain = await makeTokenChain(node.url, 12)
    const head = await ask(node.url, ['eth_blockNumber'])
    await until(async () => (await ask(tokenUrl(), ['eth_blockNumber'])) === head, { what: 'the head' })
    const { result } = JSON.parse(head) as { readonly result: string }
    expect(await differentAnswers(node.url, tokenUrl(), readerRequests(chain, Number(result)))).toEqual([])
    const response = await fetch(tokenUrl(), {
      method: 'POST',
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getBalance',
        params: [chain.account, 'latest'],
      }),
    })
    expect(response.headers.get('x-quorate-verified')).toBe('state')
    expect(response.headers.get('x-quorate-block')).toStartWith(`${Number(result)}:0x`)
  })

  test('given a store that is held back, then readiness is 503 and says how old the head is', async () => {
    const readiness = await until(async () => {
      const response = await fetch(`${worker.url}/readiness`)
      return response.status === 503 && (await response.text())
    })
    expect(readiness).toMatch(/the head, block \d+, is \d+ s old, MAX_HEAD_AGE is 3/)
  })

  test('given a call without an end, then its gas ends it', async () => {
    const endless = { data: '0x5b600056', gas: '0xffffffffffff' }
    const [here, there] = [
      await ask(tokenUrl(), ['eth_call', endless]),
      await ask(node.url, ['eth_call', endless]),
    ]
    expect(here).toContain('"error"')
    expect(here).toBe(there)
  })

  test('given tokens that are missing, forged or do not suffice, then each request is refused and has its line in the log', async () => {
    const other = await generateKeyPair('RS256', { extractable: true })
    const forged = await new SignJWT({ permissions: ['*:*'] })
      .setProtectedHeader({ alg: 'RS256' })
      .setExpirationTime('1h')
      .sign(other.privateKey)
    const narrow = await tokenFor('net:*')
    const before = denials()
    expect((await send('eth_blockNumber', [])).status).toBe(401)
    expect((await send('eth_blockNumber', [], `Bearer ${forged}`)).status).toBe(401)
    expect(await (await send('eth_blockNumber', [], `Bearer ${narrow}`)).json()).toMatchObject({
      error: { code: -40100 },
    })
    expect((await send('net_version', [], `Bearer ${narrow}`)).status).toBe(200)
    await until(() => denials() === before + 3, { what: 'three lines' })
  })

  test('given clients that leave amid their bodies, then the memory that they claimed is given back', async () => {
    const { hostname, port } = new URL(worker.url)
    const token = await tokenFor('*:*')
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${BODY_BYTES}\r\n\r\n[`
    const sockets: Socket[] = []
    const connectClients = (count: number): void => {
      for (let client = 0; client < count; client++) {
        const socket = connect(Number(port), hostname, () => socket.write(head))
        // The server refuses some of them.
        socket.on('error', () => undefined)
        sockets.push(socket)
      }
    }
    connectClients(LEAVING_CLIENTS)
    // Short bodies have memory of their own.
    const isBusy = async (): Promise<boolean> => {
      const answer = await ask(tokenUrl(), ['web3_sha3', `0x${'00'.repeat(50_000)}`])
      return !answer.includes('"result"')
    }
    const isBusyWithMore = async (): Promise<boolean> => {
      if (await isBusy()) return true
      // On a busy machine the first ones may have been ended for their silence.
      connectClients(CLIENTS_MORE)
      return false
    }
    await until(isBusyWithMore, { what: 'a Worker that is busy', pollMs: 100 })
    for (const socket of sockets) socket.destroy()
    await until(async () => !(await isBusy()), { what: 'an answer' })
  })

  test('given more denials than a minute logs, then the rest is counted only, and requests go on', async () => {
    for (let sent = 0; sent <= DENIALS_OF_ADDRESS_MAX; sent += DENIALS_AT_ONCE)
      await Promise.all(
        Array.from({ length: DENIALS_AT_ONCE }, async () => (await send('eth_blockNumber', [])).text()),
      )
    await until(() => denials() >= DENIALS_OF_ADDRESS_MAX, { what: 'the lines' })
    expect(await ask(tokenUrl(), ['eth_blockNumber'])).toContain('"result"')
    expect(denials()).toBe(DENIALS_OF_ADDRESS_MAX)
  })
})
