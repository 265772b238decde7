import { maxBigint } from '../../bytes/integer.ts'
import { type ForkName, forkIsAtLeast } from '../../genesis/fork.ts'

const MINIMUM_DIFFICULTY = 131_072n
const BOUND_DIVISOR = 2_048n
const BOMB_PERIOD = 100_000n

/** Blocks by which the forks delay the difficulty bomb: EIP-649, 1234, 2384, 3554, 4345, 5133. Newest first. */
const BOMB_DELAYS: readonly (readonly [ForkName, bigint])[] = [
  ['grayGlacier', 11_400_000n],
  ['arrowGlacier', 10_700_000n],
  ['london', 9_700_000n],
  ['muirGlacier', 9_000_000n],
  ['constantinople', 5_000_000n],
  ['byzantium', 3_000_000n],
]

const bomb = (fork: ForkName, number: bigint): bigint => {
  const delay = BOMB_DELAYS.find(([since]) => forkIsAtLeast(fork, since))?.[1] ?? 0n
  const period = maxBigint(number - delay, 0n) / BOMB_PERIOD
  return period > 1n ? 1n << (period - 2n) : 0n
}

/** The change of the difficulty, in 2048ths of the parent's, for the spacing of the two blocks. */
const adjustment = (fork: ForkName, secondsApart: bigint, parentHasOmmers: boolean): bigint => {
  if (forkIsAtLeast(fork, 'byzantium'))
    return maxBigint((parentHasOmmers ? 2n : 1n) - secondsApart / 9n, -99n)
  if (forkIsAtLeast(fork, 'homestead')) return maxBigint(1n - secondsApart / 10n, -99n)
  return secondsApart < 13n ? 1n : -1n
}

export type DifficultyInput = {
  readonly fork: ForkName
  readonly number: bigint
  readonly timestamp: bigint
  readonly parentTimestamp: bigint
  readonly parentDifficulty: bigint
  readonly parentHasOmmers: boolean
}

/** The proof of work difficulty a block must have (Yellow Paper 4.3.4, EIP-2, EIP-100 and the bomb delays). */
export const ethashDifficulty = (input: DifficultyInput): bigint => {
  const step = input.parentDifficulty / BOUND_DIVISOR
  const change = adjustment(input.fork, input.timestamp - input.parentTimestamp, input.parentHasOmmers)
  const adjusted = maxBigint(input.parentDifficulty + step * change, MINIMUM_DIFFICULTY)
  return adjusted + bomb(input.fork, input.number)
}
