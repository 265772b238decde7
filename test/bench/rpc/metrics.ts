import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled, type NodeProcess, type RuntimeName, startNode } from '../../runtime/nodeProcess.ts'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import { EMPTY_BYTES } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS, type DevelopmentAccount } from '../../../core/genesis/development/accounts.ts'
import { METRIC_CATEGORIES } from '../../../runtime/cli/metricCategories.ts'
import { createRegistry } from '../../../runtime/metrics/registry.ts'
import { createRpcMetrics } from '../../../runtime/metrics/rpcMetrics.ts'
import { measureLoad, requestBytes } from '../auth/load.ts'
import { until } from '../../support/until.ts'
import { type BenchOptions, median, type Row } from '../measure.ts'

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

/** CPU time of the threads of a process so far, in microseconds; Linux only. A thread that has ended does not count. */
const cpuMicroseconds = (pid: number): number => {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It ended meanwhile.
    }
  }
  return nanoseconds / 1000
}

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

const scrape = async ({ node }: Side): Promise<void> => {
  if (node.metricsUrl !== undefined) await (await fetch(`${node.metricsUrl}/metrics`)).text()
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
      if (round % WINDOWS_PER_SCRAPE === 0) await scrape(side)
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

const BATCH = 100
/** Transactions of each account in a round: as many as a pool takes of one sender at once. */
const PER_ACCOUNT = 20

/** The bodies of the requests that send a round: transfers of every development account. */
const transferBodies = (round: number): readonly string[] => {
  const [{ address: to }] = DEVELOPMENT_ACCOUNTS as readonly [DevelopmentAccount]
  const calls = DEVELOPMENT_ACCOUNTS.flatMap(({ privateKey }) =>
    Array.from({ length: PER_ACCOUNT }, (_, index) => {
      const { encoded } = signTransaction(
        {
          type: 0,
          chainId: 1337n,
          nonce: BigInt(round * PER_ACCOUNT + index),
          maxPriorityFeePerGas: 10n ** 10n,
          maxFeePerGas: 10n ** 10n,
          gasLimit: 21_000n,
          to,
          value: 1n,
          data: EMPTY_BYTES,
          accessList: [],
          maxFeePerBlobGas: 0n,
          blobVersionedHashes: [],
          authorizationList: [],
        },
        privateKey,
      )
      return { jsonrpc: '2.0', id: index, method: 'eth_sendRawTransaction', params: [toHex(encoded)] }
    }),
  )
  return Array.from({ length: Math.ceil(calls.length / BATCH) }, (_, at) =>
    JSON.stringify(calls.slice(at * BATCH, (at + 1) * BATCH)),
  )
}

/** CPU time in microseconds from the first request until a block has the last transaction. */
const mineRound = async ({ node }: Side, bodies: readonly string[], round: number): Promise<number> => {
  const before = cpuMicroseconds(node.pid)
  for (const body of bodies) {
    const replies = await (await fetch(node.url, { method: 'POST', body })).text()
    if (replies.includes('"error"')) throw new Error(`a transaction was refused: ${replies.slice(0, 300)}`)
  }
  const nonce = (round + 1) * PER_ACCOUNT
  const last = toHex((DEVELOPMENT_ACCOUNTS.at(-1) as DevelopmentAccount).address)
  await until(async () => Number(await node.rpc<string>('eth_getTransactionCount', last, 'latest')) >= nonce)
  return cpuMicroseconds(node.pid) - before
}

/** Two nodes that get the same transactions in turns: the CPU time that each takes for one, from the request to the block. */
const benchTransactions = async (
  runtime: RuntimeName,
  [off, on]: readonly [NodeProcess, NodeProcess],
  rounds: number,
): Promise<Row> => {
  const sides = [off, on].map((node): Side => ({ node, calls: 0, cpu: 0, rates: [] })) as [Side, Side]
  const count = PER_ACCOUNT * DEVELOPMENT_ACCOUNTS.length
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const bodies = transferBodies(round)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      if (round % WINDOWS_PER_SCRAPE === 0) await scrape(side)
      const cpu = await mineRound(side, bodies, round)
      if (round < WARM_UP_ROUNDS) continue
      side.cpu += cpu
      side.calls += count
      side.rates.push(cpu / count)
    }
  }
  const ratios = sides[1].rates.map((cpu, round) => cpu / (sides[0].rates[round] ?? cpu))
  return {
    name: `transaction on ${runtime}`,
    values: {
      'CPU off, µs': (sides[0].cpu / sides[0].calls).toFixed(2),
      'CPU on, µs': (sides[1].cpu / sides[1].calls).toFixed(2),
      'CPU on / off': (sides[1].cpu / sides[0].cpu).toFixed(3),
      'of a round, median': median(ratios).toFixed(3),
    },
  }
}

const benchRuntime = async (
  runtime: RuntimeName,
  folder: string,
  { quick, progress }: BenchOptions,
): Promise<readonly Row[]> => {
  progress(`metrics: calls with and without metrics on ${runtime}`)
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
    // Last: their blocks differ, and so would what eth_getBlockByNumber returns.
    rows.push(await benchTransactions(runtime, [off, on], quick ? 8 : 60))
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
export const benchMetrics = async (options: BenchOptions): Promise<readonly Row[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'))
  try {
    const rows: Row[] = [await benchParts()]
    for (const runtime of RUNTIMES.filter(isInstalled))
      rows.push(...(await benchRuntime(runtime, folder, options)))
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
