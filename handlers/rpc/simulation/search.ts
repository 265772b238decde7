/** How one run with a gas limit ended. */
export type Run = {
  readonly succeeds: boolean
  readonly gasUsed: bigint
  /** Before refunds. */
  readonly gasUsedMax: bigint
}

/** What a callee gets for nothing when it is sent money; a transfer may need that much in reserve. */
const CALL_STIPEND = 2_300n

/** EIP-150: a callee gets 63 of 64 parts of the gas, so the caller needs 64 for each 63 that are used below it. */
const withReserve = (gas: bigint): bigint => ((gas + CALL_STIPEND) * 64n) / 63n

/**
 * The gas limit with which a call succeeds, at most `tolerance` of it above the least. Besu's and geth's search: from the
 * gas used without a bound, a first guess with what callees leave unused, then halving, nearer to the low end.
 * @param highest a gas limit with which the call succeeds, `first` being that run.
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
