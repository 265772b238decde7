import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { sharedStoreOf } from '../../../runtime/drivers/shared.ts'
import { readReplica } from '../../support/stores/replica.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import { type Proxy, startProxy } from '../../support/servers/proxy.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'
import { bundleWorker, startWorkerd } from '../../support/servers/workerd.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { startNode } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'

/** Kills of one run; KILLS asks for more, each at a later write. */
const KILLS = Number(process.env['KILLS'] ?? 3)
const IS_CAMPAIGN = process.env['KILLS'] !== undefined

/** A write that does not come ends the test with what the node said. */
const WRITE_MS_MAX = 30_000

setDefaultTimeout(2 * WRITE_MS_MAX * (1 + KILLS))

type Store = {
  readonly name: string
  readonly isHere: boolean
  readonly start: (folder: string) => Promise<Pick<TestServer, 'url' | 'remove'>>
  /** As `--replicate-to` names the store at a URL. */
  readonly storageOf: (url: string) => string
  /** What the first piece of a write has. */
  readonly isWrite: RegExp
}

const SECRET = 'a secret of this deployment'

/** The Worker of a chain whose genesis file is in the folder, with its store in a Durable Object. */
const startWorker: Store['start'] = async folder => {
  const first = await startNode(folder, ['--min-gas-price=0'])
  await first.stop()
  const genesis = JSON.stringify(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8')))
  const bundle = join(folder, 'bundle')
  bundleWorker(bundle)
  const { url, stop } = await startWorkerd(bundle, { GENESIS: genesis, STORE_SECRET: SECRET })
  return { url, remove: stop }
}

const STORES: readonly Store[] = [
  {
    name: 'redis',
    isHere: HAS_REDIS,
    start: () => startRedis({ keeps: true }),
    storageOf: url => `redis?url=${encodeURIComponent(url)}`,
    isWrite: /evalsha|eval\b/i,
  },
  {
    name: 'postgresql',
    isHere: HAS_POSTGRESQL,
    start: startPostgresql,
    storageOf: url => `postgresql?url=${encodeURIComponent(url)}`,
    isWrite: /quorate_set_(?:if|new)/,
  },
  {
    name: 'http',
    // Bundling takes long for three kills.
    isHere: IS_CAMPAIGN,
    start: startWorker,
    storageOf: url => `http?url=${encodeURIComponent(url)}&secret=${encodeURIComponent(SECRET)}`,
    isWrite: /POST \/store\/write/,
  },
]

/**
 * Ends the connection within, before or after the write with this number, and tells when that happened.
 * @param isWrite what the first chunk of a write has
 */
const cutAtWrite = (proxy: Proxy, isWrite: RegExp, number: number, cut: () => void): void => {
  let writes = 0
  let isOver = false
  proxy.onClientData = chunk => {
    if (isOver) return false
    if (!isWrite.test(Buffer.from(chunk).toString('latin1')) || ++writes < number) return true
    isOver = true
    cut()
    // Every third write does not arrive; of the others the server gets this part.
    return number % 3 !== 0
  }
}

describe.each(STORES)(
  'given a node that fills $name, killed at every write',
  ({ isHere, start, storageOf, isWrite }) => {
    test.skipIf(!isHere)('then the store has whole blocks each time, and the node goes on from there', () =>
      withFolder(async folder => {
        const server = await start(folder)
        const url = new URL(server.url)
        const proxy = await startProxy(Number(url.port))
        url.port = `${proxy.port}`
        const kv = await sharedStoreOf(storageOf(server.url)).open()
        const args = ['--min-gas-price=0', `--replicate-to=${storageOf(String(url))}`]
        const heads: number[] = []
        try {
          for (let round = 1; round <= KILLS; round++) {
            const cut = { isDone: false }
            const node = await startNode(folder, [...args, '--logging-format=PLAIN'])
            cutAtWrite(proxy, isWrite, round + 1, () => {
              cut.isDone = true
              process.kill(node.pid, 'SIGKILL')
            })
            const { wallet } = clientsOf(node.url)
            const untilMs = performance.now() + WRITE_MS_MAX
            while (!cut.isDone) {
              if (performance.now() > untilMs) throw new Error(`no write came: ${node.output()}`)
              await wallet.sendTransaction({ to: `0x${'ee'.repeat(20)}`, value: 1n }).catch(() => undefined)
            }
            await node.exited
            proxy.onClientData = () => true
            const store = await readReplica(kv)
            const head = Number(store?.head()?.header.number ?? -1n)
            expect(head).toBeGreaterThanOrEqual(heads.at(-1) ?? -1)
            // Those before were whole after the last kill.
            for (let number = Math.max(heads.at(-1) ?? 0, 0); number <= head; number++)
              expect((await store?.record(BigInt(number)))?.block.header.number).toBe(BigInt(number))
            heads.push(head)
            if (head > 0)
              await store?.run(() => store.stateAt(BigInt(head)).account(new Uint8Array(20).fill(0xee)))
          }
          expect(heads.at(-1)).toBeGreaterThan(0)
          console.log(`killed at writes 2 to ${KILLS + 1}; heads ${heads.join(', ')}`)
          const node = await startNode(folder, args)
          const last = Number(await node.rpc<string>('eth_blockNumber'))
          const replica = async () => readReplica(kv)
          await until(async () => Number((await replica())?.head()?.header.number ?? -1n) >= last)
          const store = await replica()
          for (let number = 0; number <= last; number++) {
            const { hash } = await node.rpc<{ hash: string }>(
              'eth_getBlockByNumber',
              `0x${number.toString(16)}`,
              false,
            )
            const record = await store?.record(BigInt(number))
            expect(record === undefined ? undefined : toHex(record.hash)).toBe(hash)
          }
          expect(await node.stop()).toBe(0)
        } finally {
          await kv.close()
          await proxy.close()
          await server.remove()
        }
      }),
    )
  },
)
