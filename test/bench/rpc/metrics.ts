import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled, type NodeProcess, type RuntimeName, startNode } from '../../runtime/nodeProcess.ts'
import { METRIC_CATEGORIES } from '../../../runtime/cli/metricCategories.ts'
import { createRegistry } from '../../../runtime/metrics/registry.ts'
import { createRpcMetrics } from '../../../runtime/metrics/rpcMetrics.ts'
import { measureLoad, requestBytes } from '../auth/load.ts'
import { type BenchOptions, median, type Row } from '../measure.ts'
import { cpuMicroseconds, scrape } from './metricsNodes.ts'
import { benchProfile } from './metricsProfile.ts'
import { benchTransactions } from './metricsTransactions.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']
const CONNECTIONS = 16
const WINDOW_MS = 250
/** Prometheus reads a node every 15 seconds; here once in this many windows, a second. */
const WINDOWS_PER_SCRAPE = 4

/** The shortest call, of which metrics take the largest part, and an ordinary one. */
const CALLS: Readonly<Record<string, string>> = {
  eth_blockNumber: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  eth_getBlockByNumber: '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",true]}',
}

/** Rounds for the compilers. */
const WARM_UP_ROUNDS = 8

type Side = { readonly node: NodeProcess; calls: number; cpu: number; readonly rates: number[] }

const measureWindow = async (side: Side, body: string): Promise<number> => {
  const { node } = side
  const port = Number(new URL(node.url).port)
  const before = cpuMicroseconds(node.pid)
  const { perSecond } = await measureLoad(port, requestBytes(body, {}), {
    connections: CONNECTIONS,
    ms: WINDOW_MS,
  })
  side.cpu += cpuMicroseconds(node.pid) - before
  side.calls += (perSecond * WINDOW_MS) / 1000
  side.rates.push(perSecond)
  return perSecond
}

/** Two nodes, measured in turns that change their order, so that what else the machine does falls on both. */
const benchCall = async (
  name: string,
  body: string,
  [off, on]: readonly [NodeProcess, NodeProcess],
  rounds: number,
): Promise<Row> => {
  const sides = [off, on].map((node): Side => ({ node, calls: 0, cpu: 0, rates: [] })) as [Side, Side]
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? sides : sides.toReversed()
    for (const side of order) {
      if (round % WINDOWS_PER_SCRAPE === 0) await scrape(side.node)
      await measureWindow(side, body)
    }
    ratios.push((sides[1].rates.at(-1) ?? 0) / (sides[0].rates.at(-1) ?? 1))
  }
  const perCall = ({ cpu, calls }: Side): number => cpu / calls
  return {
    name,
    values: {
      'off, 1/s': median(sides[0].rates).toFixed(0),
      'on, 1/s': median(sides[1].rates).toFixed(0),
      'on / off': median(ratios).toFixed(3),
      'CPU off, µs': perCall(sides[0]).toFixed(2),
      'CPU on, µs': perCall(sides[1]).toFixed(2),
    },
  }
}

const benchRuntime = async (
  runtime: RuntimeName,
  folder: string,
  { quick }: BenchOptions,
): Promise<readonly Row[]> => {
  const off = await startNode(join(folder, `${runtime}-off`), [], { runtime })
  const on = await startNode(join(folder, `${runtime}-on`), ['--metrics-enabled', '--metrics-port=0'], {
    runtime,
  })
  try {
    const rows: Row[] = []
    for (const [name, body] of Object.entries(CALLS)) {
      // The first are for the compilers.
      await benchCall(name, body, [off, on], WARM_UP_ROUNDS)
      rows.push(await benchCall(`${name} on ${runtime}`, body, [off, on], quick ? 16 : 60))
    }
    return rows
  } finally {
    await off.stop()
    await on.stop()
  }
}

const CALLS_COUNTED = 1_000_000
const SCRAPES_TIMED = 100

/** CPU time of this process for some work, in nanoseconds. */
const cpuNanoseconds = async (work: () => void | Promise<void>): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) * 1000
}

/** What is added to each call, and what a scrape takes: what a busy machine cannot hide. */
const benchParts = async (): Promise<Row> => {
  const registry = await createRegistry(METRIC_CATEGORIES)
  const { called } = createRpcMetrics(registry, { http: () => 1, ws: () => 1 })
  const methods = Object.keys(CALLS)
  const count = (calls: number): void => {
    for (let call = 0; call < calls; call++) called(methods[call % methods.length] ?? '', 0.3, undefined)
  }
  const render = async (): Promise<void> => {
    for (let scrape = 0; scrape < SCRAPES_TIMED; scrape++) await registry.render('text')
  }
  // The first are for the compilers.
  count(CALLS_COUNTED)
  await render()
  return {
    name: 'the parts, on Bun',
    values: {
      'CPU of a call, ns': ((await cpuNanoseconds(() => count(CALLS_COUNTED))) / CALLS_COUNTED).toFixed(1),
      'CPU of a scrape, ms': ((await cpuNanoseconds(render)) / SCRAPES_TIMED / 1e6).toFixed(2),
    },
  }
}

/** What metrics that are read cost each call. */
export const benchMetrics = async (options: BenchOptions): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  try {
    const { row } = options
    await row('the parts, on Bun', benchParts)
    await row('the part of metrics, on Node', () => benchProfile(folder, options))
    for (const runtime of RUNTIMES.filter(isInstalled)) {
      await row(`calls on ${runtime}`, () => benchRuntime(runtime, folder, options))
      await row(`transaction on ${runtime}`, () => benchTransactions(runtime, folder, options))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
