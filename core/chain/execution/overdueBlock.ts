import { type QbftConsensus, qbftAfter } from '../../genesis/qbftSchedule.ts'
import type { Header } from '../../block/header.ts'

/** Rounds after the block period until the next block is overdue: validators may be one round apart. */
const ROUNDS_EXPECTED = 2

/**
 * When the next block is overdue: the seconds since `sinceMs`, or since the head if that is later. Otherwise undefined.
 * Without pending transactions the next block may take `emptyblockperiodseconds`; with some, the block period counts from
 * `pendingSinceMs`, the arrival of the oldest one, and so do the seconds.
 */
export const overdueSeconds = (
  consensus: QbftConsensus,
  head: Pick<Header, 'number' | 'timestamp'>,
  {
    sinceMs,
    nowMs,
    pendingSinceMs,
  }: { readonly sinceMs: number; readonly nowMs: number; readonly pendingSinceMs: number | undefined },
): number | undefined => {
  const { blockPeriodMs, blockPeriodSeconds, emptyBlockPeriodSeconds } = qbftAfter(consensus, head)
  const { requestTimeoutSeconds } = consensus.parameters
  const periodMs = Math.max(blockPeriodMs, blockPeriodSeconds * 1000)
  const roundsMs = ROUNDS_EXPECTED * requestTimeoutSeconds * 1000
  const startMs = Math.max(Number(head.timestamp) * 1000, sinceMs)
  const waitedMs = nowMs - startMs
  if (waitedMs > Math.max(periodMs, emptyBlockPeriodSeconds * 1000) + roundsMs)
    return Math.floor(waitedMs / 1000)
  if (pendingSinceMs === undefined) return undefined
  const pendingMs = nowMs - Math.max(startMs, pendingSinceMs)
  return pendingMs > periodMs + roundsMs ? Math.floor(pendingMs / 1000) : undefined
}
