import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from '../runtime/folder.ts'
import { benchGenesis } from './genesis.ts'
import { type BenchOptions, median, type Row } from './measure.ts'
import { type LoadResult, runHttpLoad } from './rpc/httpLoad.ts'
import { requestBodies, type Workload, workloads } from './rpc/requests.ts'
import { type RpcServer, startAnvilServer, startOwnServer } from './rpc/servers.ts'
import { createAlloc, createBlocks, createSenders } from './workload.ts'

const CONNECTIONS = 16
/** Batches keep a server busy for long. */
const BATCH_CONNECTIONS = 2
const BATCH = 100
/** Of a block, each a token transfer with its log. */
const TRANSACTIONS = 40
/** So many holders share the transfers. */
const RECIPIENTS = 500

const SIZES = { blocks: 500, unsent: 24_000, windows: 5, seconds: 1.5 }
const QUICK_SIZES = { blocks: 100, unsent: 6_000, windows: 3, seconds: 0.6 }

/** Of the transactions, those that are sent one by one. */
const SINGLE_PART = 1 / 4

type Figures = { readonly perSecond: number; readonly p99Ms: number; readonly clientCpu: number }

const figuresOf = (results: readonly LoadResult[], batch: number | undefined): Figures => ({
  perSecond: median(results.map(({ requests, seconds }) => (requests * (batch ?? 1)) / seconds)),
  p99Ms: median(results.map(({ latencies }) => latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN)),
  clientCpu: median(results.map(({ clientCpu }) => clientCpu)),
})

/** Servers that answer differently do different work. */
const assertAgreed = async (servers: readonly RpcServer[], workload: Workload): Promise<void> => {
  const bodyOf = requestBodies(workload, undefined, 0)
  const body = bodyOf() as string
  const answers = await Promise.all(
    servers.map(async ({ port }) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
      const { result, error } = (await response.json()) as { result: unknown; error?: unknown }
      if (error !== undefined) throw new Error(`${workload.method}: ${JSON.stringify(error)}`)
      return JSON.stringify(workload.agreed(result))
    }),
  )
  if (new Set(answers).size !== 1) throw new Error(`${workload.method}: ${answers.join(' and ')}`)
}

const rateText = (perSecond: number): string =>
  perSecond < 100 ? perSecond.toFixed(1) : perSecond.toFixed(0)

const benchWorkload = async (
  servers: readonly RpcServer[],
  workload: Workload,
  batch: number | undefined,
  range: { readonly first: number; readonly count: number },
  { quick, progress }: BenchOptions,
): Promise<Row> => {
  const { windows, seconds } = quick ? QUICK_SIZES : SIZES
  const name = `${workload.method}${batch === undefined ? '' : `, ${batch} in a batch`}`
  progress(`rpc: ${name}`)
  const results = new Map<RpcServer, LoadResult[]>(servers.map(server => [server, []]))
  const isLimited = Number.isFinite(range.count)
  // A warm-up first; what each of them has of the machine changes with time, so they take turns.
  for (let window = -1; window < windows; window++)
    for (const server of servers) {
      const all = requestBodies(
        workload,
        batch,
        range.first + (isLimited ? (window + 1) * part(range, windows) : 0),
      )
      let left = isLimited ? Math.floor(part(range, windows) / (batch ?? 1)) : Number.POSITIVE_INFINITY
      const next = (): string | undefined => (left-- > 0 ? all() : undefined)
      const connections = batch === undefined ? CONNECTIONS : BATCH_CONNECTIONS
      const result = await runHttpLoad({ port: server.port, connections, next, seconds })
      if (window >= 0) results.get(server)?.push(result)
    }
  const [ours, anvil] = servers.map(server => figuresOf(results.get(server) ?? [], batch)) as [
    Figures,
    Figures,
  ]
  return {
    name,
    values: {
      'ours/s': rateText(ours.perSecond),
      'anvil/s': rateText(anvil.perSecond),
      'ours / anvil': `${(ours.perSecond / anvil.perSecond).toFixed(2)}x`,
      'ours p99, ms': ours.p99Ms.toFixed(2),
      'anvil p99, ms': anvil.p99Ms.toFixed(2),
      'client CPU': `${(ours.clientCpu * 100).toFixed(0)}% / ${(anvil.clientCpu * 100).toFixed(0)}%`,
    },
  }
}

/** Of the calls of a limited range, those of one window, the warm-up being one. */
const part = ({ count }: { readonly count: number }, windows: number): number =>
  Math.floor(count / (windows + 1))

/** Our node and anvil with the same chain under the same clients, in turns. */
export const benchRpc = (options: BenchOptions): Promise<readonly Row[]> =>
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
    const rows: Row[] = []
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
        const isLimited = workload.method === 'eth_sendRawTransaction'
        const single = isLimited ? Math.floor(waiting.length * SINGLE_PART) : Number.POSITIVE_INFINITY
        await assertAgreed(servers, workload)
        // The first transaction was sent to see that they agree.
        const first = isLimited ? 1 : 0
        rows.push(
          await benchWorkload(servers, workload, undefined, { first, count: single }, options),
          await benchWorkload(
            servers,
            workload,
            BATCH,
            isLimited
              ? { first: first + single, count: waiting.length - single - first }
              : { first: 0, count: single },
            options,
          ),
        )
      }
    } finally {
      for (const server of servers) await server.stop()
    }
    return rows
  })
