import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RuntimeName, startNode } from '../../runtime/nodeProcess.ts'

/** Of the password `pegasys`. */
const HASH = '$2a$10$l3GA7K8g6rJ/Yv.YFSygCuI9byngpEzxgWS9qEg5emYDZomQW7fGC'

const LOGINS_PER_SECOND = 200
const REQUESTS_PER_SECOND = 200

export type Storm = {
  /** p99 of eth_blockNumber, milliseconds, without logins and beside them. */
  readonly quiet: number
  readonly stormy: number
  /** That were sent each second. */
  readonly logins: number
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** Calls `send` so often a second, whether or not the calls before have ended, and waits for all of them. */
const atRate = async (
  perSecond: number,
  ms: number,
  send: (index: number) => Promise<void>,
): Promise<number> => {
  const start = performance.now()
  const sent: Promise<void>[] = []
  for (let elapsed = 0; elapsed < ms; elapsed = performance.now() - start) {
    while (sent.length < (elapsed / 1000) * perSecond) sent.push(send(sent.length))
    await Bun.sleep(1)
  }
  await Promise.all(sent)
  return sent.length
}

/** Requests with a right token, alone and beside wrong logins, each of which comes from an address of its own. */
export const quietAndStormy = async (runtime: RuntimeName, folder: string, ms: number): Promise<Storm> => {
  const dataPath = join(folder, `${runtime}-storm`)
  mkdirSync(dataPath, { recursive: true })
  const users = join(dataPath, 'users.toml')
  writeFileSync(users, `[Users.alice]\npassword = "${HASH}"\npermissions = ["eth:*"]\n`)
  const node = await startNode(
    dataPath,
    [
      '--rpc-http-authentication-enabled',
      `--rpc-http-authentication-credentials-file=${users}`,
      // So that the limit on one address does not end the storm.
      '--rpc-trusted-proxies=127.0.0.1',
    ],
    { runtime },
  )
  try {
    const post = (path: string, body: object, headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`${node.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { ...headers } })
    const login = await post('/login', { username: 'alice', password: 'pegasys' }, {})
    const { token } = (await login.json()) as { token: string }
    const latencies: number[] = []
    const ask = async (): Promise<void> => {
      const start = performance.now()
      const headers = { authorization: `Bearer ${token}` }
      const answer = await post('/', { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' }, headers)
      if (!(await answer.text()).includes('"result"')) throw new Error(`the node answered ${answer.status}`)
      latencies.push(performance.now() - start)
    }
    const p99 = (): number =>
      at(
        latencies.splice(0).sort((a, b) => a - b),
        0.99,
      )
    await atRate(REQUESTS_PER_SECOND, 1_000, ask)
    latencies.splice(0)
    await atRate(REQUESTS_PER_SECOND, ms, ask)
    const quiet = p99()
    const wrong = async (index: number): Promise<void> => {
      const from = `10.${index >> 16}.${(index >> 8) & 0xff}.${index & 0xff}`
      const headers = { 'x-forwarded-for': from }
      await (await post('/login', { username: 'alice', password: `wrong ${index}` }, headers)).text()
    }
    const [logins] = await Promise.all([
      atRate(LOGINS_PER_SECOND, ms, wrong),
      atRate(REQUESTS_PER_SECOND, ms, ask),
    ])
    return { quiet, stormy: p99(), logins: (logins * 1000) / ms }
  } finally {
    await node.stop()
  }
}
