import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import { decodeReplicaHead } from '../../../core/store/replica/replicaHead.ts'
import { sharedStoreOf } from '../../../runtime/drivers/shared.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { replicatedChain, startReplication } from '../../../runtime/replicate/replication.ts'
import { startNode } from '../../runtime/nodeProcess.ts'
import { startReader } from '../../support/readers/readerProcess.ts'
import { makeTokenChain, type Request } from '../../support/readers/readerRequests.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import { storeChain } from '../../support/stores/storedChain.ts'
import { benchCommits } from './edgeCommits.ts'
import { benchBlockTrips, benchCallTrips, benchSeals } from './edgeTrips.ts'
import { benchWorker, cpuMsOf } from './edgeWorker.ts'
import type { BenchOptions, MeasureRow } from '../measure.ts'
import { until } from '../../support/until.ts'

const FILLED_BLOCKS = 640
const FOLLOWED_BLOCKS = 100
const CONNECTIONS = 16
const LOAD_MS = 3_000
/** Requests after which the code of a server is compiled. */
const WARM_UP_REQUESTS = 6_000

/** Fills a store with blocks, then times each block from its commit until a reader finds it. */
const benchStore = async (storage: string): Promise<Readonly<Record<string, string>>> => {
  const sample = sampleChain({
    seed: 5,
    blocks: FILLED_BLOCKS + FOLLOWED_BLOCKS,
    accounts: 20,
    slots: 2,
    changesMax: 4,
    transactionsMax: 4,
  })
  const { chain, growTo, close } = await storeChain(sample, FILLED_BLOCKS - 1)
  const target = sharedStoreOf(storage)
  const kv = await target.open()
  const heightOf = async (): Promise<number> => {
    const stored = await kv.get('replica')
    return stored === undefined ? -1 : Number(decodeReplicaHead(stored).head?.header.number ?? -1n)
  }
  const startedMs = performance.now()
  const cpuBefore = process.cpuUsage()
  const replication = startReplication({ chain: replicatedChain(chain), target, log: logOf('replica') })
  await until(async () => (await heightOf()) >= FILLED_BLOCKS - 1)
  const filledMs = performance.now() - startedMs
  const { user, system } = process.cpuUsage(cpuBefore)
  const times: number[] = []
  for (let number = FILLED_BLOCKS; number < FILLED_BLOCKS + FOLLOWED_BLOCKS; number++) {
    await growTo(number)
    const committedMs = performance.now()
    await until(async () => (await heightOf()) >= number, { pollMs: 0 })
    times.push(performance.now() - committedMs)
  }
  await replication.stop()
  await kv.close()
  await close()
  times.sort((a, b) => a - b)
  return {
    'fill, blocks/s': (FILLED_BLOCKS / (filledMs / 1000)).toFixed(0),
    'fill, blocks/CPU s': (FILLED_BLOCKS / ((user + system) / 1_000_000)).toFixed(0),
    'commit to visible p50, ms': (times[times.length >> 1] as number).toFixed(1),
  }
}

type Server = { readonly url: string; readonly pid: number }

/** Sends requests over CONNECTIONS connections while more are wanted. Gives how many were answered. */
const load = async (
  { url }: Server,
  [method, ...params]: Request,
  isWanted: (answered: number) => boolean,
): Promise<number> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  let answered = 0
  const send = async (): Promise<void> => {
    while (isWanted(answered)) {
      await (await fetch(url, { method: 'POST', headers, body })).text()
      answered++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  return answered
}

/** Requests a second, and requests for each second of CPU that the server took. */
const rateOf = async (server: Server, request: Request): Promise<Readonly<Record<string, string>>> => {
  await load(server, request, answered => answered < WARM_UP_REQUESTS)
  const [cpuMs, untilMs] = [cpuMsOf(server.pid), performance.now() + LOAD_MS]
  const answered = await load(server, request, () => performance.now() < untilMs)
  const [method] = request
  return {
    [`${method}/s`]: (answered / (LOAD_MS / 1000)).toFixed(0),
    [`${method}/CPU s`]: (answered / ((cpuMsOf(server.pid) - cpuMs) / 1000)).toFixed(0),
  }
}

const benchReaders = async (storage: string, row: MeasureRow): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  const node = await startNode(folder, ['--min-gas-price=0', `--replicate-to=${storage}`])
  try {
    const { account, token } = await makeTokenChain(node.url, 20)
    const call = { to: token, data: `0x70a08231${account.slice(2).padStart(64, '0')}` }
    const measure = (name: string, server: Server): Promise<void> =>
      row(name, async () => ({
        name,
        values: {
          ...(await rateOf(server, ['eth_blockNumber'])),
          ...(await rateOf(server, ['eth_call', call, 'latest'])),
        },
      }))
    await measure('node', node)
    const kv = await sharedStoreOf(storage).open()
    const genesis = parseGenesisText(readFileSync(join(folder, 'genesis.json'), 'utf8'))
    const nextBlock = async (): Promise<void> => {
      await makeTokenChain(node.url, 1)
      await Bun.sleep(1_000)
    }
    await row('requests of a call', () => benchCallTrips(genesis, kv, call, nextBlock))
    await kv.close()
    for (const verify of ['none', 'head', 'state']) {
      const reader = await startReader([
        `--from=${storage}`,
        `--genesis-file=${join(folder, 'genesis.json')}`,
        `--verify=${verify}`,
      ])
      await measure(`reader, ${verify}`, reader)
      await reader.stop()
    }
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const inFolder = async <T>(run: (folder: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  try {
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Replicas in real servers on this machine, and readers of them beside the node. */
export const benchEdge = async ({ row }: BenchOptions): Promise<void> => {
  await row('requests of a block', benchBlockTrips)
  await row('seals', benchSeals)
  await row('a Worker', () => inFolder(benchWorker))
  const servers = [
    ...(HAS_REDIS ? [['redis', startRedis] as const] : []),
    ...(HAS_POSTGRESQL ? [['postgresql', startPostgresql] as const] : []),
  ]
  for (const [name, start] of servers) {
    const server = await start()
    try {
      await row(name, async () => ({ name, values: await benchStore(`${name}?url=${server.url}`) }))
    } finally {
      await server.remove()
    }
  }
  if (!HAS_REDIS) return
  const [server, other] = [await startRedis(), await startRedis()]
  try {
    await row('commits', () => inFolder(folder => benchCommits(folder, server, other)))
    await server.kill()
    await server.start()
    await benchReaders(`redis?url=${server.url}`, row)
  } finally {
    await server.remove()
    await other.remove()
  }
}
