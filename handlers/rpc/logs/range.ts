import { RpcError } from '../errors.ts'

/** A range that ends before it begins. */
export const reversedRange = (from: bigint, to: bigint): RpcError =>
  new RpcError('INVALID_PARAMS', {
    detail: `invalid block range params: fromBlock ${from} is greater than toBlock ${to}`,
  })

const beyondHead = (bound: string, number: bigint, head: bigint): RpcError =>
  new RpcError('INVALID_PARAMS', {
    detail: `block range extends beyond current head block: ${bound} ${number} is greater than ${head}`,
  })

/**
 * Checks Besu's bounds of a range of blocks, both included: in order, and not beyond the head. @throws RpcError that
 * names the wrong bound
 */
export const requireRange = (from: bigint, to: bigint, head: bigint): void => {
  if (from > head) throw beyondHead('fromBlock', from, head)
  if (to > head) throw beyondHead('toBlock', to, head)
  if (from > to) throw reversedRange(from, to)
}

/** @param rangeMax maximum number of blocks between the bounds, 0 for any number. @throws RpcError */
export const requireRangeWithin = (from: bigint, to: bigint, rangeMax: bigint): void => {
  if (rangeMax > 0n && to - from > rangeMax)
    throw new RpcError('LOGS_RANGE_TOO_LARGE', {
      data: `blocks ${from} to ${to}: toBlock is at most ${from + rangeMax}`,
    })
}
