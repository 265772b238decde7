import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchOptions, Row } from '../measure.ts'
import { type LoadResult, runLoad } from './load.ts'
import { type BenchNetwork, type BenchNode, startBenchNetwork } from './nodes.ts'
import { peakMbOf, usageOf } from './usage.ts'
import { createAlloc, createBlocks, createSenders, type Sender, type WorkloadKind } from '../workload.ts'
import { until } from '../../support/until.ts'

type Shape = { readonly validators: number; readonly periodMs: number; readonly kind: WorkloadKind }

const SHAPES: readonly Shape[] = [
  { validators: 4, periodMs: 1000, kind: 'transfers' },
  { validators: 4, periodMs: 100, kind: 'transfers' },
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

/** More per second than the network can include. */
const FULL = 4_000

/** Per second: far below what the network can, so that latency is that of agreement and not of queues. */
const STEADY = 200

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

const ms = (value: number): string => (Number.isNaN(value) ? '' : value.toFixed(0))

/** Of the blocks above `from`, with transactions or without, as their proposers saw it; ascending. */
const commitTimes = (
  nodes: readonly BenchNode[],
  from: number,
  to: number,
  what: 'empty' | 'filled',
): readonly number[] =>
  nodes
    .flatMap(node => node.blockLines())
    .filter(({ isProduced, number }) => isProduced && number > from && number <= to)
    .filter(({ transactions }) => (transactions === 0) === (what === 'empty'))
    .flatMap(({ proposalToCommitMs }) => proposalToCommitMs ?? [])
    .toSorted((a, b) => a - b)

/** What all nodes together sent for one block. */
const perBlock = (nodes: readonly BenchNode[], from: number, to: number) => {
  let messages = 0
  let bytes = 0
  for (const node of nodes) {
    const lines = node.blockLines().filter(({ number }) => number > from && number <= to)
    const [first, last] = [lines[0], lines.at(-1)]
    if (first === undefined || last === undefined || first === last) continue
    const blocks = last.number - first.number
    messages += (last.messagesSent - first.messagesSent) / blocks
    bytes += (last.bytesSent - first.bytesSent) / blocks
  }
  return { messages, bytes }
}

const headOf = async (node: BenchNode): Promise<number> => Number(await node.rpc<string>('eth_blockNumber'))

const waitForHead = async (node: BenchNode, number: number): Promise<void> => {
  await until(async () => (await headOf(node)) >= number)
}

type Measured = {
  readonly load: LoadResult
  readonly from: number
  readonly to: number
  readonly cpu: number
  readonly peakMb: number
}

/** Runs the load and tells which blocks it fell into, what share of a core a node used, and how much memory one took at most. */
const measure = async (network: BenchNetwork, run: () => Promise<LoadResult>): Promise<Measured> => {
  const { nodes } = network
  const cpu = () => nodes.reduce((sum, { pid }) => sum + usageOf(pid).cpuSeconds, 0)
  const [first] = nodes as readonly [BenchNode]
  const from = await headOf(first)
  const [startMs, before] = [performance.now(), cpu()]
  let load: LoadResult | undefined
  const pids = nodes.map(({ pid }) => pid)
  const peakMb = await peakMbOf(pids, async () => {
    load = await run()
  })
  const seconds = (performance.now() - startMs) / 1000
  if (load === undefined) throw new Error('the load has no result')
  return { load, from, to: await headOf(first), cpu: (cpu() - before) / seconds / nodes.length, peakMb }
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

const runShape = async (
  shape: Shape,
  senders: readonly Sender[],
  alloc: object,
  { quick, progress }: BenchOptions,
): Promise<Row> => {
  const { validators, periodMs, kind } = shape
  const name = `${validators} validators, ${periodMs} ms, ${kind}`
  progress(`network: ${name}`)
  const seconds = quick ? 6 : 15
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  let network: BenchNetwork | undefined
  try {
    const steadyBlocks = Math.ceil((STEADY * seconds) / senders.length)
    const loadBlocks = Math.ceil((FULL * (WARM_SECONDS + seconds)) / senders.length)
    const transactions = createBlocks(kind, senders, steadyBlocks + loadBlocks).flat()
    network = await startBenchNetwork({ folder, validators, periodMs, alloc })
    const { nodes } = network
    await waitForHead(nodes[0] as BenchNode, 3)
    const warm = await runLoad({ nodes, transactions, perSecond: undefined, seconds: WARM_SECONDS })
    let sent = warm.sent
    await Bun.sleep(REST_MS)
    const unsent = () => transactions.slice(sent)
    const idle = await measure(network, async () => {
      await Bun.sleep(seconds * 1000)
      return { sent: 0, included: 0, seconds: 0, latencies: [], blocks: 0, gapsMs: [] }
    })
    const calm = await measure(network, () =>
      runLoad({ nodes, transactions: unsent(), perSecond: STEADY, seconds }),
    )
    sent += calm.load.sent
    const full = await measure(network, () =>
      runLoad({ nodes, transactions: unsent(), perSecond: undefined, seconds }),
    )
    sent += full.load.sent
    const idleTimes = commitTimes(nodes, idle.from, idle.to, 'empty')
    const calmTimes = commitTimes(nodes, calm.from, calm.to, 'filled')
    const fullTimes = commitTimes(nodes, full.from, full.to, 'filled')
    const traffic = perBlock(nodes, idle.from, idle.to)
    return {
      name,
      values: {
        // One block alone tells no rate.
        'tx/s': full.load.seconds === 0 ? '' : (full.load.included / full.load.seconds).toFixed(0),
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
        sync: validators === 4 ? await measureSync(network, sent) : '',
      },
    }
  } finally {
    await network?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Networks of validators and one client on this machine. */
export const benchNetwork = async (options: BenchOptions): Promise<readonly Row[]> => {
  const senders = createSenders()
  const alloc = await createAlloc(senders)
  const rows: Row[] = []
  for (const shape of options.quick ? SHAPES.slice(0, 2) : SHAPES)
    rows.push(await runShape(shape, senders, alloc, options))
  return rows
}
