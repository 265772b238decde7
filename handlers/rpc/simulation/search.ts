/** Result of one run with a gas limit. */
export type Run = {
  readonly succeeds: boolean
  readonly gasUsed: bigint
  /** Before refunds. */
  readonly gasUsedMax: bigint
}

/** Free gas of a callee that receives value; a transfer may need that much in reserve. */
const CALL_STIPEND = 2_300n

/** EIP-150: a callee gets 63/64 of the gas, so the caller needs 64 for each 63 that the callee uses. */
const withReserve = (gas: bigint): bigint => ((gas + CALL_STIPEND) * 64n) / 63n

/**
 * A gas limit with which a call succeeds. It exceeds the minimum by at most the fraction `tolerance`. The search of Besu and
 * geth: a first guess from the gas used, with the reserve of callees, then a binary search biased to the low end. @param
 * highest a gas limit with which the call succeeds; `first` is the result of that run
 */
export const searchGasLimit = (
  highest: bigint,
  first: Run,
  tolerance: number,
  run: (gasLimit: bigint) => Pick<Run, 'succeeds'>,
): bigint => {
  let high = highest
  let low = first.gasUsed - 1n
  const guess = withReserve(first.gasUsedMax)
  if (guess < high) {
    if (run(guess).succeeds) high = guess
    else low = guess
  }
  while (low + 1n < high) {
    if (Number(high - low) / Number(high) < tolerance) break
    let middle = (high + low) / 2n
    if (middle > low * 2n) middle = low * 2n
    if (run(middle).succeeds) high = middle
    else low = middle
  }
  return high
}
