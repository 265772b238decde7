import type { QbftParameters } from '../../../core/genesis/configuration.ts'

/** When the block after a head may be proposed, in milliseconds since 1970. */
export type BlockTimes = {
  readonly readyAtMs: number
  /** After this time, strictly, a block without transactions is proposed too. */
  readonly emptyAtMs: number
}

/**
 * QBFT's block timer: one period after the parent's timestamp, or with a period in milliseconds that long after
 * `countedFromMs`. Without an empty-block period an empty block is as good as any other. `parameters` are those of the block
 * to be made.
 */
export const blockTimes = (
  parameters: QbftParameters,
  parentTimestamp: bigint,
  countedFromMs: number,
): BlockTimes => {
  const parentMs = Number(parentTimestamp) * 1000
  const readyAtMs =
    parameters.blockPeriodMs > 0
      ? countedFromMs + parameters.blockPeriodMs
      : parentMs + parameters.blockPeriodSeconds * 1000
  const emptyAtMs =
    parameters.emptyBlockPeriodSeconds > 0 ? parentMs + parameters.emptyBlockPeriodSeconds * 1000 : -Infinity
  return { readyAtMs, emptyAtMs }
}

/** The block period in milliseconds. */
export const periodMs = ({ blockPeriodMs, blockPeriodSeconds }: QbftParameters): number =>
  blockPeriodMs > 0 ? blockPeriodMs : blockPeriodSeconds * 1000

/** When a head arrived, and when its round began if that is known; milliseconds since 1970. */
export type HeadTimes = { readonly arrivedMs: number; readonly beganMs: number | undefined }

/**
 * The part of a period that passes after a block before the next one, however long the block took: other work of the node
 * has its turn.
 */
const PAUSE_SHARE = 1 / 4

/** Where a period in milliseconds counts from: the beginning of the round of the head. */
export const countedFromMs = (parameters: QbftParameters, { arrivedMs, beganMs }: HeadTimes): number =>
  beganMs === undefined ? arrivedMs : Math.max(beganMs, arrivedMs - (1 - PAUSE_SHARE) * periodMs(parameters))

/** Maximum time to execute transactions for one block: a percentage of the period. */
export const selectionTimeMs = (parameters: QbftParameters, percent: number): number =>
  (periodMs(parameters) * percent) / 100
