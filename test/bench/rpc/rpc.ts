import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from '../../runtime/folder.ts'
import { benchGenesis } from '../genesis.ts'
import { type BenchOptions, median, type Row } from '../measure.ts'
import { type LoadResult, runLoad } from './load.ts'
import { httpProtocol, webSocketProtocol } from './protocol.ts'
import { requestBodies, type Workload, workloads } from './requests.ts'
import { type RpcServer, startAnvilServer, startOwnServer } from './servers.ts'
import { createAlloc, createBlocks, createSenders } from '../workload.ts'

const CONNECTIONS = 16
/** Batches keep a server busy for long. */
const BATCH_CONNECTIONS = 2
const BATCH = 100
/** Of a block, each a token transfer with its log. */
const TRANSACTIONS = 40
/** So many holders share the transfers. */
const RECIPIENTS = 500

const SIZES = { blocks: 500, unsent: 32_000, windows: 5, seconds: 1.5 }
const QUICK_SIZES = { blocks: 100, unsent: 20_000, windows: 3, seconds: 0.6 }

/** Windows that do not count: compilers take about a second to be done with a path of calls. */
const WARM_UPS = 2

type Figures = { readonly perSecond: number; readonly p99Ms: number; readonly clientCpu: number }

/** How often a workload is asked for: over which protocol, and how many calls in one request. */
type Way = {
  readonly name: string
  readonly overWebSocket: boolean
  readonly batch: number | undefined
  /** Of what can be asked only once, the part that is asked this way: from and to, of 1. */
  readonly share: readonly [from: number, to: number]
}

const WAYS: readonly Way[] = [
  { name: 'HTTP', overWebSocket: false, batch: undefined, share: [0, 1 / 4] },
  { name: `HTTP, ${BATCH} in a batch`, overWebSocket: false, batch: BATCH, share: [1 / 4, 1 / 2] },
  { name: 'WebSocket', overWebSocket: true, batch: undefined, share: [1 / 2, 3 / 4] },
  { name: `WebSocket, ${BATCH} in a batch`, overWebSocket: true, batch: BATCH, share: [3 / 4, 1] },
]

const figuresOf = (results: readonly LoadResult[], batch: number | undefined): Figures => ({
  perSecond: median(results.map(({ requests, seconds }) => (requests * (batch ?? 1)) / seconds)),
  p99Ms: median(results.map(({ latencies }) => latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN)),
  clientCpu: median(results.map(({ clientCpu }) => clientCpu)),
})

/** Servers that answer differently do different work. */
const assertAgreed = async (servers: readonly RpcServer[], workload: Workload): Promise<void> => {
  // The last of those that can be asked only once, so that no window has it.
  const body = requestBodies(workload, undefined, (workload.calls ?? 1) - 1)() as string
  const answers = await Promise.all(
    servers.map(async ({ httpPort }) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${httpPort}/`, { method: 'POST', headers, body })
      const { result, error } = (await response.json()) as { result: unknown; error?: unknown }
      if (error !== undefined) throw new Error(`${workload.method}: ${JSON.stringify(error)}`)
      return JSON.stringify(workload.agreed(result))
    }),
  )
  if (new Set(answers).size !== 1) throw new Error(`${workload.method}: ${answers.join(' and ')}`)
}

const rateText = (perSecond: number): string =>
  perSecond < 100 ? perSecond.toFixed(1) : perSecond.toFixed(0)

/** A window's own calls where each can be asked only once, else as many as there is time for. */
const callsOfWindow = (
  workload: Workload,
  { batch, share: [from, to] }: Way,
  window: number,
  windows: number,
): (() => string | undefined) => {
  if (workload.calls === undefined) return requestBodies(workload, batch, 0)
  const count = Math.floor((workload.calls * (to - from)) / windows)
  const bodies = requestBodies(workload, batch, Math.ceil(workload.calls * from) + window * count)
  let left = Math.floor(count / (batch ?? 1))
  return () => (left-- > 0 ? bodies() : undefined)
}

const benchWorkload = async (
  servers: readonly RpcServer[],
  workload: Workload,
  way: Way,
  quick: boolean,
): Promise<Row['values']> => {
  const { windows, seconds } = quick ? QUICK_SIZES : SIZES
  const { batch, overWebSocket } = way
  const results = servers.map((): LoadResult[] => [])
  // What each of them has of the machine changes with time, so they take turns.
  for (let window = 0; window < WARM_UPS + windows; window++)
    for (const [index, server] of servers.entries()) {
      const port = overWebSocket ? server.webSocketPort : server.httpPort
      const result = await runLoad({
        port,
        protocol: overWebSocket ? webSocketProtocol(port) : httpProtocol(port),
        connections: batch === undefined ? CONNECTIONS : BATCH_CONNECTIONS,
        next: callsOfWindow(workload, way, window, WARM_UPS + windows),
        seconds,
      })
      if (window >= WARM_UPS) results[index]?.push(result)
    }
  const [ours, anvil] = results.map(each => figuresOf(each, batch)) as [Figures, Figures]
  return {
    'ours/s': rateText(ours.perSecond),
    'anvil/s': rateText(anvil.perSecond),
    'ours / anvil': `${(ours.perSecond / anvil.perSecond).toFixed(2)}x`,
    'ours p99, ms': ours.p99Ms.toFixed(2),
    'anvil p99, ms': anvil.p99Ms.toFixed(2),
    'client CPU': `${(ours.clientCpu * 100).toFixed(0)}% / ${(anvil.clientCpu * 100).toFixed(0)}%`,
  }
}

/** Our node and anvil with the same chain under the same clients, in turns. */
export const benchRpc = (options: BenchOptions): Promise<void> =>
  withFolder(async folder => {
    const { blocks, unsent } = options.quick ? QUICK_SIZES : SIZES
    options.progress('rpc: signing')
    const senders = createSenders()
    const chain = createBlocks('ERC-20 transfers', senders.slice(0, TRANSACTIONS), blocks, {
      recipients: RECIPIENTS,
    })
    const others = senders.slice(TRANSACTIONS)
    const waiting = createBlocks('transfers', others, Math.ceil(unsent / others.length)).flat()
    const genesis = benchGenesis(await createAlloc(senders))
    const servers: RpcServer[] = []
    try {
      for (const start of [startOwnServer, startAnvilServer]) {
        const own = join(folder, String(servers.length))
        mkdirSync(own)
        options.progress(
          `rpc: a chain of ${blocks} blocks for ${start === startOwnServer ? 'ours' : 'anvil'}`,
        )
        servers.push(await start({ folder: own, genesis, blocks: chain }))
      }
      for (const workload of workloads({ blocks, recipients: RECIPIENTS, unsent: waiting })) {
        await assertAgreed(servers, workload)
        for (const way of WAYS) {
          const name = `${workload.method}, ${way.name}`
          await options.row(name, async () => ({
            name,
            values: await benchWorkload(servers, workload, way, options.quick),
          }))
        }
      }
    } finally {
      for (const server of servers) await server.stop()
    }
  })
