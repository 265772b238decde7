import { type Address, compareBytes, equalBytes } from '../bytes/bytes.ts'

/**
 * The proposer in `round` of the height that `validators` (ascending) govern: the one after the proposer of the previous
 * block, and one further for each round. A proposer that is no longer a validator is replaced by the next greater address.
 * Undefined without validators. `previousProposer` is the parent's coinbase.
 */
export const proposerOf = (
  validators: readonly Address[],
  previousProposer: Address,
  round: number,
): Address | undefined => {
  const previous = validators.findIndex(validator => equalBytes(validator, previousProposer))
  if (previous >= 0) return validators[(previous + 1 + round) % validators.length]
  const greater = validators.findIndex(validator => compareBytes(validator, previousProposer) > 0)
  return validators[(Math.max(greater, 0) + round) % validators.length]
}
