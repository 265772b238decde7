import { type QbftConsensus, qbftAt } from '../../genesis/schedule.ts'
import type { Header } from '../../block/header.ts'

/** Rounds after the block period until the next block is overdue: validators may be one round apart. */
const ROUNDS_EXPECTED = 2

/**
 * When the next block is overdue: the seconds since `sinceMs`, or since the head if that is later. Otherwise undefined.
 * Without pending transactions the next block may take `emptyblockperiodseconds`.
 */
export const overdueSeconds = (
  consensus: QbftConsensus,
  head: Pick<Header, 'number' | 'timestamp'>,
  {
    sinceMs,
    nowMs,
    isEmpty,
  }: { readonly sinceMs: number; readonly nowMs: number; readonly isEmpty: boolean },
): number | undefined => {
  const { blockPeriodMs, blockPeriodSeconds, emptyBlockPeriodSeconds } = qbftAt(consensus, head.number + 1n)
  const { requestTimeoutSeconds } = consensus.parameters
  const waitedMs = nowMs - Math.max(Number(head.timestamp) * 1000, sinceMs)
  const expectedMs =
    Math.max(blockPeriodMs, blockPeriodSeconds * 1000, isEmpty ? emptyBlockPeriodSeconds * 1000 : 0) +
    ROUNDS_EXPECTED * requestTimeoutSeconds * 1000
  return waitedMs > expectedMs ? Math.floor(waitedMs / 1000) : undefined
}
