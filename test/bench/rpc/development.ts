import { startNode } from '../../runtime/nodeProcess.ts'
import { withFolder } from '../../runtime/folder.ts'
import { startAnvil } from '../engines/anvil.ts'
import { type BenchOptions, median, msText, type Row, timesText } from '../measure.ts'

type Rpc = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/** The same client for both, which keeps its connection. */
const rpcOf =
  (url: string): Rpc =>
  async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

/** What a suite does around each test: a snapshot, blocks of the test, and back. */
const pairsMs = async (rpc: Rpc, pairs: number, blocks: number): Promise<number> => {
  const start = performance.now()
  for (let pair = 0; pair < pairs; pair++) {
    const id = await rpc('evm_snapshot')
    for (let block = 0; block < blocks; block++) await rpc('evm_mine')
    if ((await rpc('evm_revert', id)) !== true) throw new Error('the snapshot is unknown')
  }
  return performance.now() - start
}

/** Milliseconds from the start of the process to its first answer. */
const firstAnswerMs = async (): Promise<number> =>
  withFolder(async folder => {
    const start = performance.now()
    const node = await startNode(folder)
    await node.rpc('eth_chainId')
    const ms = performance.now() - start
    await node.kill()
    return ms
  })

/** Medians of windows in turns. */
const besideAnvil = async (
  windows: number,
  measureOurs: () => Promise<number>,
  measureTheirs: () => Promise<number>,
): Promise<Row['values']> => {
  const ours: number[] = []
  const theirs: number[] = []
  for (let window = 0; window <= windows; window++) {
    ours.push(await measureOurs())
    theirs.push(await measureTheirs())
  }
  // The first window warms up.
  const [own, other] = [median(ours.slice(1)), median(theirs.slice(1))]
  return { 'ours, ms': msText(own), 'anvil, ms': msText(other), 'speed beside anvil': timesText(other, own) }
}

/** The development chain beside anvil, the same calls over HTTP in turns. */
export const benchDevelopment = async ({ quick, row }: BenchOptions): Promise<void> => {
  const pairs = quick ? 100 : 1_000
  const windows = quick ? 1 : 3
  await row('start to first answer', async () => {
    const starts: number[] = []
    for (let window = 0; window < 2 * windows + 1; window++) starts.push(await firstAnswerMs())
    return { name: 'start to first answer', values: { 'ours, ms': msText(median(starts)) } }
  })
  const anvil = await startAnvil([])
  try {
    await withFolder(async folder => {
      const node = await startNode(folder)
      try {
        for (const blocks of [0, 1]) {
          const name = `${pairs} pairs of evm_snapshot and evm_revert, ${blocks} blocks between`
          const measure = (url: string): Promise<number> => pairsMs(rpcOf(url), pairs, blocks)
          await row(name, async () => ({
            name,
            values: await besideAnvil(
              windows,
              () => measure(node.url),
              () => measure(anvil.url),
            ),
          }))
        }
      } finally {
        await node.kill()
      }
    })
  } finally {
    await anvil.stop()
  }
}
