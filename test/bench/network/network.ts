import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorText } from '../../../core/text/errorText.ts'
import type { BenchOptions, Row } from '../measure.ts'
import { type LoadResult, runLoad } from './load.ts'
import { type BenchNetwork, type BenchNode, startBenchNetwork } from './nodes.ts'
import {
  peakMbOf,
  sumOf,
  type ThreadUsage,
  threadUsageOf,
  usageBetween,
  usageOf,
  usageText,
} from './usage.ts'
import { at, blockGaps, commitTimes, ms, perBlock, spreadText } from './figures.ts'
import { createStallCheck } from './stall.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { createAlloc, createBlocks, createSenders, type Sender, type WorkloadKind } from '../workload.ts'
import { until } from '../../support/until.ts'

type Shape = { readonly validators: number; readonly periodMs: number; readonly kind: WorkloadKind }

const SHAPES: readonly Shape[] = [
  { validators: 4, periodMs: 1000, kind: 'transfers' },
  { validators: 4, periodMs: 100, kind: 'transfers' },
  { validators: 4, periodMs: 200, kind: 'transfers' },
  // 4,000 wait at most, so that a longer period bounds the rate.
  { validators: 1, periodMs: 200, kind: 'transfers' },
  { validators: 4, periodMs: 1000, kind: 'ERC-20 transfers' },
  { validators: 4, periodMs: 100, kind: 'ERC-20 transfers' },
  { validators: 7, periodMs: 1000, kind: 'transfers' },
  { validators: 10, periodMs: 1000, kind: 'transfers' },
  { validators: 20, periodMs: 1000, kind: 'transfers' },
]

/** Full load that is not measured: until then the runtime compiles more than the nodes run. */
const WARM_SECONDS = 15

/** After that, before blocks without transactions are looked at: what the load left is mined, written to the views and collected. */
const REST_MS = 5_000

/** The measured full load lasts this many times as long as the others: 30 blocks tell how long the slowest twentieth takes. */
const FULL_FACTOR = 2

/** More per second than a network, and one validator, can include. */
const FULL = 3_000
const FULL_ALONE = 8_000

/** Per second: far below what the network can, so that latency is that of agreement and not of queues. */
const STEADY = 200

const headOf = async (node: BenchNode): Promise<number> => Number(await node.rpc<string>('eth_blockNumber'))

/** @throws NetworkStalled */
const waitForHead = async (node: BenchNode, number: number): Promise<void> => {
  const checkStall = createStallCheck()
  const isReached = async (): Promise<boolean> => {
    const head = await headOf(node)
    checkStall(head)
    return head >= number
  }
  await until(isReached, { timeoutMs: Number.POSITIVE_INFINITY })
}

/** Names what was under way in the error of a shape. */
const during = async <T>(phase: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    throw new Error(`${phase}: ${errorText(error)}`, { cause: error })
  }
}

type Measured = {
  readonly load: LoadResult
  readonly from: number
  readonly to: number
  /** Share of a core that a node used. */
  readonly cpu: number
  readonly peakMb: number
  /** CPU milliseconds of a node, and of this process, for a sent transaction. */
  readonly perTransaction: ThreadUsage
  readonly client: number
}

const clientMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Runs the load and tells which blocks it fell into, and what the nodes and the client used meanwhile, memory at most. */
const measure = async (network: BenchNetwork, run: () => Promise<LoadResult>): Promise<Measured> => {
  const { nodes } = network
  const cpu = () => nodes.reduce((sum, { pid }) => sum + usageOf(pid).cpuSeconds, 0)
  const threads = () => sumOf(nodes.map(({ pid }) => threadUsageOf(pid)))
  const [first] = nodes as readonly [BenchNode]
  const from = await headOf(first)
  const [startMs, before, threadsBefore, clientBefore] = [performance.now(), cpu(), threads(), clientMs()]
  let load: LoadResult | undefined
  const pids = nodes.map(({ pid }) => pid)
  const peakMb = await peakMbOf(pids, async () => {
    load = await run()
  })
  if (load === undefined) throw new Error('the load has no result')
  const seconds = (performance.now() - startMs) / 1000
  const sent = Math.max(1, load.sent)
  return {
    load,
    from,
    to: await headOf(first),
    cpu: (cpu() - before) / seconds / nodes.length,
    peakMb,
    perTransaction: usageBetween(threadsBefore, threads(), 1 / sent / nodes.length),
    client: (clientMs() - clientBefore) / sent,
  }
}

/** Another node catches up with all there is. */
const measureSync = async (network: BenchNetwork, transactions: number): Promise<string> => {
  const head = await headOf(network.nodes[0] as BenchNode)
  const startMs = performance.now()
  const joined = await network.join()
  await waitForHead(joined, head)
  const seconds = (performance.now() - startMs) / 1000
  return `${(head / seconds).toFixed(0)} blocks/s, ${(transactions / seconds).toFixed(0)} tx/s`
}

type Phases = { readonly idle: Measured; readonly calm: Measured; readonly full: Measured }

const measurePhases = async (
  network: BenchNetwork,
  transactions: readonly RecoveredTransaction[],
  seconds: number,
): Promise<Phases & { readonly sent: number }> => {
  const { nodes } = network
  const load = (from: number, perSecond: number | undefined, length: number) => () =>
    runLoad({ nodes, transactions: transactions.slice(from), perSecond, seconds: length })
  await during('first blocks', () => waitForHead(nodes[0] as BenchNode, 3))
  let { sent } = await during('warm-up', load(0, undefined, WARM_SECONDS))
  await Bun.sleep(REST_MS)
  const idle = await measure(network, async () => {
    await Bun.sleep(seconds * 1000)
    return { sent: 0, included: 0, seconds: 0, latencies: [], blocks: 0, gapsMs: [] }
  })
  const calm = await during(`${STEADY} tx/s`, () => measure(network, load(sent, STEADY, seconds)))
  sent += calm.load.sent
  const full = await during('full load', () => measure(network, load(sent, undefined, FULL_FACTOR * seconds)))
  sent += full.load.sent
  return { idle, calm, full, sent }
}

const valuesOf = (nodes: readonly BenchNode[], { idle, calm, full }: Phases, periodMs: number) => {
  const idleTimes = commitTimes(nodes, idle.from, idle.to, 'empty')
  const calmTimes = commitTimes(nodes, calm.from, calm.to, 'filled')
  const fullTimes = commitTimes(nodes, full.from, full.to, 'filled')
  const gaps = blockGaps(nodes[0] as BenchNode, { from: full.from, to: full.to, periodMs })
  const traffic = perBlock(nodes, idle.from, idle.to)
  const usage = usageText(full.perTransaction)
  return {
    // One block alone tells no rate.
    'tx/s': full.load.seconds === 0 ? '' : (full.load.included / full.load.seconds).toFixed(0),
    'gap p50 / p95': spreadText(gaps),
    'CPU ms/tx': usage.all,
    'main / workers / compiler / memory': usage.parts,
    client: full.client.toFixed(3),
    'latency p50': ms(at(calm.load.latencies, 0.5)),
    'p99 ': ms(at(calm.load.latencies, 0.99)),
    'commit, empty': `${ms(at(idleTimes, 0.5))} / ${ms(at(idleTimes, 0.99))}`,
    [`at ${STEADY}/s`]: `${ms(at(calmTimes, 0.5))} / ${ms(at(calmTimes, 0.99))}`,
    full: `${ms(at(fullTimes, 0.5))} / ${ms(at(fullTimes, 0.99))}`,
    'msg/block': traffic.messages.toFixed(0),
    'kB/block': (traffic.bytes / 1000).toFixed(1),
    'CPU idle': `${(idle.cpu * 100).toFixed(0)}%`,
    'CPU full': `${(full.cpu * 100).toFixed(0)}%`,
    'MB full': full.peakMb.toFixed(0),
  }
}

const nameOf = ({ validators, periodMs, kind }: Shape): string =>
  `${validators === 1 ? 'one alone' : `${validators} validators`}, ${periodMs} ms, ${kind}`

const runShape = async (
  shape: Shape,
  senders: readonly Sender[],
  alloc: object,
  seconds: number,
): Promise<Row['values']> => {
  const { validators, periodMs, kind } = shape
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  let network: BenchNetwork | undefined
  try {
    const rate = validators === 1 ? FULL_ALONE : FULL
    const steadyBlocks = Math.ceil((STEADY * seconds) / senders.length)
    const loadBlocks = Math.ceil((rate * (WARM_SECONDS + FULL_FACTOR * seconds)) / senders.length)
    const transactions = createBlocks(kind, senders, steadyBlocks + loadBlocks).flat()
    network = await startBenchNetwork({ folder, validators, periodMs, alloc })
    const { sent, ...phases } = await measurePhases(network, transactions, seconds)
    const values = valuesOf(network.nodes, phases, periodMs)
    if (validators !== 4) return values
    const joining = network
    return { ...values, sync: await during('sync', () => measureSync(joining, sent)) }
  } finally {
    await network?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Networks of validators and one client on this machine. */
export const benchNetwork = async ({ quick, row }: BenchOptions): Promise<void> => {
  const senders = createSenders()
  const alloc = await createAlloc(senders)
  for (const shape of quick ? SHAPES.slice(0, 2) : SHAPES) {
    const name = nameOf(shape)
    await row(name, async () => ({ name, values: await runShape(shape, senders, alloc, quick ? 6 : 15) }))
  }
}
