import { toQuantity } from '../../../core/bytes/hex.ts'
import { withFolder } from '../../runtime/folder.ts'
import { benchGenesis } from '../genesis.ts'
import { type BenchOptions, median, msText, type Row } from '../measure.ts'
import { createAlloc, createBlocks, createSenders, TRANSACTIONS_PER_BLOCK } from '../workload.ts'
import { usageOf } from '../network/usage.ts'
import { type OwnServer, startOwnServer } from './servers.ts'

/** Different blocks are traced, as often as there are. */
const COUNTS = { blocks: 12, warmups: 12, windows: 24 }
const QUICK_COUNTS = { blocks: 4, warmups: 4, windows: 8 }

/** Milliseconds of one request. */
const traceMs = async ({ httpPort }: OwnServer, block: number): Promise<number> => {
  const params = [toQuantity(block), { tracer: 'callTracer' }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceBlockByNumber', params })
  const headers = { 'content-type': 'application/json' }
  const startMs = performance.now()
  const response = await fetch(`http://127.0.0.1:${httpPort}/`, { method: 'POST', headers, body })
  const text = await response.text()
  const ms = performance.now() - startMs
  const { result, error } = JSON.parse(text) as { result?: readonly unknown[]; error?: unknown }
  if (result?.length !== TRANSACTIONS_PER_BLOCK) throw new Error(`no trace: ${JSON.stringify(error)}`)
  return ms
}

const benchServer = async (server: OwnServer, { blocks, warmups, windows }: typeof COUNTS): Promise<Row> => {
  const times: number[] = []
  for (let window = 0; window < warmups; window++) await traceMs(server, 1 + (window % blocks))
  const before = usageOf(server.pid).cpuSeconds
  for (let window = 0; window < windows; window++) times.push(await traceMs(server, 1 + (window % blocks)))
  const cpuMs = ((usageOf(server.pid).cpuSeconds - before) / windows) * 1000
  return {
    name: 'debug_traceBlockByNumber, callTracer',
    values: { median: msText(median(times)), least: msText(Math.min(...times)), CPU: msText(cpuMs) },
  }
}

/**
 * Traces of blocks of 1,000 token transfers. anvil is no reference: it executes the block from its start for each transaction, and
 * did not answer in five minutes.
 */
export const benchTraces = ({ quick, progress, row }: BenchOptions): Promise<void> =>
  withFolder(async folder => {
    const counts = quick ? QUICK_COUNTS : COUNTS
    progress('traces: a chain')
    const senders = createSenders()
    const chain = createBlocks('ERC-20 transfers', senders, counts.blocks)
    const genesis = benchGenesis(await createAlloc(senders))
    const server = await startOwnServer({ folder, genesis, blocks: chain })
    try {
      await row('debug_traceBlockByNumber, callTracer', () => benchServer(server, counts))
    } finally {
      await server.stop()
    }
  })
