import { UsageError } from '../../cli/errors.ts'

/** Blocks from `start` to `end`, without `end`. */
export type BlockRange = { readonly start: bigint; readonly end: bigint }

/** @throws UsageError if the range is empty */
export const blockRange = (
  options: { readonly startBlock: bigint | undefined; readonly endBlock: bigint | undefined },
  endMax: bigint,
): BlockRange => {
  const start = options.startBlock ?? 0n
  const end = options.endBlock === undefined || options.endBlock > endMax ? endMax : options.endBlock
  if (start >= end)
    throw new UsageError(
      'INVALID_VALUE',
      `The block range is empty: --start-block ${start} must be below --end-block ${options.endBlock ?? end} and the end of the chain (${endMax})`,
    )
  return { start, end }
}
