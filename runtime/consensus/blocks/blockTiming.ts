import type { QbftParameters } from '../../../core/genesis/configuration.ts'

/** When the block after a head may be proposed, in milliseconds since 1970. */
export type BlockTimes = {
  readonly readyAtMs: number
  /** After this time, strictly, a block without transactions is proposed too. */
  readonly emptyAtMs: number
}

/**
 * QBFT's block timer: one period after the parent's timestamp, or with a period in milliseconds that long after the parent
 * arrived. Without an empty-block period an empty block is as good as any other. `parameters` are those of the block
 * to be made.
 */
export const blockTimes = (
  parameters: QbftParameters,
  parentTimestamp: bigint,
  parentArrivedMs: number,
): BlockTimes => {
  const parentMs = Number(parentTimestamp) * 1000
  const readyAtMs =
    parameters.blockPeriodMs > 0
      ? parentArrivedMs + parameters.blockPeriodMs
      : parentMs + parameters.blockPeriodSeconds * 1000
  const emptyAtMs =
    parameters.emptyBlockPeriodSeconds > 0 ? parentMs + parameters.emptyBlockPeriodSeconds * 1000 : -Infinity
  return { readyAtMs, emptyAtMs }
}

/** The block period in milliseconds. */
export const periodMs = ({ blockPeriodMs, blockPeriodSeconds }: QbftParameters): number =>
  blockPeriodMs > 0 ? blockPeriodMs : blockPeriodSeconds * 1000

/** Maximum time to execute transactions for one block: a percentage of the period, or no limit without one. */
export const selectionTimeMs = (parameters: QbftParameters, percent: number | undefined): number =>
  percent === undefined ? Infinity : (periodMs(parameters) * percent) / 100
