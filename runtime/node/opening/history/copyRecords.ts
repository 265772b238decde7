import { runStepsYielding } from '../../../../core/steps.ts'
import type { YieldTurn } from '../../../../core/scheduler.ts'
import { commitOfSegmentSteps } from '../../../../core/store/recovery/recover.ts'
import type { ChainStore } from '../../../../core/store/store.ts'
import type { WholeChain } from './wholeChain.ts'

/**
 * Copies the blocks after the head of the whole chain from the records of the pruned one, up to its head, each verified by its
 * seals and roots. @throws InvalidBlock, StoreCorruption
 */
export const copyRecords = async (
  from: Pick<ChainStore, 'head' | 'recordBytes'>,
  { chain, importRecord }: WholeChain,
  pause: YieldTurn,
  isStopped: () => boolean,
): Promise<void> => {
  const last = from.head()?.header.number ?? 0n
  for (let number = chain.head().header.number + 1n; number <= last && !isStopped(); number++) {
    const bytes = await from.recordBytes(number)
    if (bytes === undefined) return
    const record = await runStepsYielding(commitOfSegmentSteps(bytes), pause)
    // This node has taken the block: the clock was right.
    await importRecord(record, { nowMs: Number(record.block.header.timestamp) * 1000 })
    await pause()
  }
}
