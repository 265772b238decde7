import { hashSync } from 'bcryptjs'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { forgeries, newKeys, signedToken } from '../../attack/attacks/forgedTokens.ts'
import { LONG_BODIES } from '../../attack/attacks/requests.ts'
import { settledMemoryOf } from '../../cluster/support/memory.ts'
import {
  hostileSockets,
  LOGINS,
  NAMED_STATUSES,
  postAll,
  slowBodies,
  type Statuses,
} from '../../support/readers/hostileClients.ts'
import { faultsOf, hostileBodies, statusesOfQueries } from '../../support/readers/hostileRequests.ts'
import { type ReaderProcess, startReader } from '../../support/readers/readerProcess.ts'
import { ask, makeTokenChain, type TokenChain } from '../../support/readers/readerRequests.ts'
import { startRedis } from '../../support/servers/redis.ts'
import { until } from '../../support/until.ts'
import { type RuntimeName, startNode } from '../nodeProcess.ts'

/**
 * Sends hostile input to readers in rounds: the corpus of the fuzzers, long and slow bodies, silent WebSockets, floods of
 * subscriptions, forged tokens, logins, and a key set whose server lies, hangs or never ends. Exits with 1 for a status of the
 * server's own fault, a token that was accepted, or memory that grows over the second half. Run by hand:
 * `bun test/runtime/read/hostileCampaign.ts --runtime=node --rounds=4`.
 */
const { values } = parseArgs({
  options: { runtime: { type: 'string', default: 'bun' }, rounds: { type: 'string', default: '4' } },
})
const runtime = values.runtime as RuntimeName
const rounds = Number(values.rounds)
const HOLD_MS = 5_000
/**
 * V8 keeps the pages of a burst until it has been idle for eight seconds, and gives them back in up to three collections: before,
 * resident memory is the highest heap of the rounds.
 */
const IDLE_SECONDS = 25
/** What caches may still take in the second half. */
const GROWTH_BYTES_MAX = 48 * 1024 * 1024

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}
const textOf = (statuses: Statuses): string =>
  [...statuses].map(([status, count]) => `${count} with ${status}`).join(', ')

const faults = new Set<string>()
const judge = (what: string, statuses: Statuses): void => {
  print(`  ${what}: ${textOf(statuses)}`)
  for (const status of statuses.keys())
    if (status >= 500 && !NAMED_STATUSES.includes(status)) faults.add(`${what}: ${status}`)
}

const folder = mkdtempSync(join(tmpdir(), 'quorate-hostile-'))
const ends: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })]

/** Servers of key sets that a reader must survive. */
const keyServer = Bun.serve({
  port: 0,
  fetch: ({ url }) => {
    const { pathname } = new URL(url)
    if (pathname === '/lies') return new Response('{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}')
    if (pathname === '/garbage') return new Response('['.repeat(500_000))
    if (pathname === '/long') return new Response(new Uint8Array(100 * 1024 * 1024).fill(32))
    return new Promise<Response>(() => undefined)
  },
})
ends.push(() => keyServer.stop(true))

type Target = ReaderProcess & { readonly what: string }

const sendAll = async ({ url, wsUrl, graphqlUrl }: Target, chain: TokenChain): Promise<void> => {
  for (const fault of await faultsOf(url, hostileBodies(chain))) faults.add(fault)
  for (const status of await statusesOfQueries(`${graphqlUrl}/graphql`))
    if (status >= 500 && !NAMED_STATUSES.includes(status)) faults.add(`GraphQL: ${status}`)
  judge('long bodies', await postAll(url, LONG_BODIES))
  judge('slow bodies', await slowBodies({ url, ms: HOLD_MS }))
  const sockets = await hostileSockets({ url: wsUrl as string, ms: HOLD_MS })
  print(`  ${sockets} WebSockets were taken`)
}

const tokensTo = async ({ url, what }: Target, publicKey: string, privateKey: string): Promise<void> => {
  const body = ['{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}']
  for (const [forgery, token] of forgeries(publicKey, privateKey)) {
    const statuses = await postAll(url, body, { authorization: `Bearer ${token}` })
    for (const status of statuses.keys())
      if (status === 200 || status >= 500) faults.add(`${what}, ${forgery}: ${status}`)
  }
  judge(`${what}, logins`, await postAll(`${url}/login`, LOGINS))
}

const headOf = (url: string): Promise<string> => ask(url, ['eth_blockNumber'])

try {
  const server = await startRedis()
  ends.push(() => server.remove())
  const store = `redis?url=${server.url}`
  const node = await startNode(folder, ['--min-gas-price=0', `--replicate-to=${store}`])
  ends.push(() => node.stop())
  const chain = await makeTokenChain(node.url, 20)
  const { publicKey, privateKey } = newKeys()
  const [keyFile, users] = [join(folder, 'public.pem'), join(folder, 'users.toml')]
  writeFileSync(keyFile, publicKey)
  writeFileSync(users, `[Users.alice]\npassword = "${hashSync('right', 4)}"\npermissions = ["*:*"]\n`)
  const open = async (what: string, args: readonly string[]): Promise<Target> => {
    const reader = await startReader(
      [`--from=${store}`, `--genesis-file=${join(folder, 'genesis.json')}`, '--rpc-gas-cap=3000000', ...args],
      runtime,
    )
    ends.push(() => reader.stop())
    return { ...reader, what }
  }
  const authenticated = '--rpc-http-authentication-enabled'
  const reader = await open('reader', [
    '--rpc-ws-enabled',
    '--rpc-ws-port=0',
    '--graphql-http-enabled',
    '--graphql-http-port=0',
  ])
  const secured = await Promise.all([
    open('with a key', [authenticated, `--rpc-http-authentication-jwt-public-key-file=${keyFile}`]),
    open('with users', [authenticated, `--rpc-http-authentication-credentials-file=${users}`]),
    ...['lies', 'garbage', 'long', 'hangs'].map(path =>
      open(`with a key set that ${path}`, [
        authenticated,
        `--rpc-http-authentication-jwks=http://127.0.0.1:${keyServer.port}/${path}`,
      ]),
    ),
  ])
  const exp = Math.floor(Date.now() / 1000) + 3600
  const genuine = signedToken(privateKey, { permissions: ['eth:*'], exp })
  const targets = [reader, ...secured]
  const memory: number[][] = []
  for (let round = 1; round <= rounds; round++) {
    print(`round ${round}`)
    await sendAll(reader, chain)
    for (const target of secured) await tokensTo(target, publicKey, privateKey)
    await until(async () => (await headOf(reader.url)) === (await headOf(node.url)), { what: 'the head' })
    memory.push(await Promise.all(targets.map(({ pid }) => settledMemoryOf(pid, IDLE_SECONDS))))
    print(
      `  memory in MB: ${memory
        .at(-1)
        ?.map(bytes => bytes >> 20)
        .join(', ')}`,
    )
  }
  const answer = await postAll(
    secured[0].url,
    ['{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'],
    { authorization: `Bearer ${genuine}` },
  )
  if (answer.get(200) !== 1) faults.add(`a genuine token had ${textOf(answer)}`)
  for (const [index, { what, output }] of targets.entries()) {
    const [half, last] = [memory[(rounds >> 1) - 1], memory.at(-1)].map(one => one?.[index] ?? 0)
    const growth = (last as number) - (half as number)
    print(`${what} on ${runtime}: ${growth >> 20} MB of growth in the second half`)
    if (growth > GROWTH_BYTES_MAX) faults.add(`${what}: memory grows`)
    if (output().includes('Internal error')) faults.add(`${what}: an internal error`)
  }
  for (const fault of faults) print(fault)
  print(faults.size === 0 ? 'held' : 'bit')
  process.exitCode = faults.size === 0 ? 0 : 1
} finally {
  for (const end of ends.toReversed()) await end()
}
