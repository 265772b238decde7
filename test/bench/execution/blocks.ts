import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from '../../runtime/folder.ts'
import { startAnvil } from '../engines/anvil.ts'
import { anvilBlockArgs, anvilBlocks } from '../engines/anvilBlocks.ts'
import { type BlockRun, ethereumjsBlocks } from '../engines/ethereumjsBlocks.ts'
import { ownBlocks } from '../engines/ownBlocks.ts'
import { benchGenesis } from '../genesis.ts'
import { type BenchOptions, median, msText, type Row, timesText } from '../measure.ts'
import { assertSame, createAlloc, createBlocks, createSenders, type WorkloadKind } from '../workload.ts'

type Runs = { readonly ms: number; readonly runs: readonly BlockRun[] }

const COUNTS = { warmups: 15, windows: 15 }
const QUICK_COUNTS = { warmups: 2, windows: 3 }
/** A block takes it about a second. */
const REFERENCE_COUNTS = { warmups: 1, windows: 5 }

/** Runs the first blocks, and takes the median of those after the warm-up. */
const measure = async <Block>(
  blocks: readonly Block[],
  counts: { readonly warmups: number; readonly windows: number },
  run: (block: Block) => Promise<BlockRun>,
): Promise<Runs> => {
  const runs: BlockRun[] = []
  for (const block of blocks.slice(0, counts.warmups + counts.windows)) runs.push(await run(block))
  return { ms: median(runs.slice(counts.warmups).map(({ ms }) => ms)), runs }
}

const benchKind = (
  kind: WorkloadKind,
  alloc: Awaited<ReturnType<typeof createAlloc>>,
  senders: ReturnType<typeof createSenders>,
  { quick, progress }: BenchOptions,
): Promise<Row> =>
  withFolder(async folder => {
    const counts = quick ? QUICK_COUNTS : COUNTS
    progress(`block of 1,000 ${kind}: signing`)
    const blocks = createBlocks(kind, senders, counts.warmups + counts.windows)
    const genesis = benchGenesis(alloc)

    progress(`block of 1,000 ${kind}: ours`)
    const own = await ownBlocks(folder, genesis)
    const ours = await measure(blocks, counts, own.run)
    await own.close()

    progress(`block of 1,000 ${kind}: anvil`)
    const genesisFile = join(folder, 'genesis.json')
    writeFileSync(genesisFile, JSON.stringify(genesis))
    const anvil = await startAnvil(anvilBlockArgs(genesisFile))
    let mined: Runs
    try {
      mined = await measure(blocks, counts, anvilBlocks(anvil))
    } finally {
      await anvil.stop()
    }

    progress(`block of 1,000 ${kind}: @ethereumjs/vm`)
    const reference = await measure(
      blocks,
      quick ? QUICK_COUNTS : REFERENCE_COUNTS,
      await ethereumjsBlocks(alloc),
    )
    const outcomes = (runs: Runs) => runs.runs.map(({ outcome }) => outcome)
    assertSame('anvil', outcomes(ours), outcomes(mined))
    assertSame('@ethereumjs/vm', outcomes(ours), outcomes(reference))
    return {
      name: `1,000 ${kind}`,
      values: {
        'ours, durable': msText(ours.ms),
        '@ethereumjs/vm, in memory': msText(reference.ms),
        'anvil evm_mine, in memory': msText(mined.ms),
        'speed beside @ethereumjs': timesText(reference.ms, ours.ms),
        'speed beside anvil': timesText(mined.ms, ours.ms),
      },
    }
  })

/** Blocks of transactions whose senders are known: executed, all roots, and (ours) committed durably to SQLite. */
export const benchBlocks = async (options: BenchOptions): Promise<void> => {
  const senders = createSenders()
  const alloc = await createAlloc(senders)
  for (const kind of ['transfers', 'ERC-20 transfers'] as const)
    await options.row(`1,000 ${kind}`, () => benchKind(kind, alloc, senders, options))
}
