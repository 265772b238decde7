import { withRound } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { Input } from '../../../../core/qbft/input.ts'
import type { Key } from '../../chain/support/keys.ts'
import { at } from './keys.ts'
import { commit, prepare, roundChange } from './messages.ts'
import { headOf } from './node.ts'
import { built, createCast, fired, message, verified } from './script.ts'

/** Rounds with messages; the others may request one more. */
export const ROUNDS = 4

/** Inputs that arrive together. */
export type Group = readonly Input[]

export type Everything = {
  readonly anytime: readonly Group[]
  /** By round. */
  readonly rounds: readonly (readonly Group[])[]
}

const inRound = (keys: readonly Key[], own: Key, round: number): readonly Group[] => {
  const cast = createCast(keys, own)
  const { others, block } = cast
  const variants = [0, 1].flatMap((variant): readonly Group[] => {
    const made = block(round, variant)
    const again = withRound(made, round + 1)
    return [
      [built(made, round)],
      [verified(made)],
      cast.proposed(round, variant),
      cast.voted(made),
      cast.changed(round + 1, made),
      cast.proposed(round + 1, variant, made),
      cast.voted(again),
      ...others.map((key): Group => [message(key, prepare(key, made))]),
      ...others.map((key): Group => [message(key, commit(key, made))]),
    ]
  })
  return [
    ...variants,
    [fired(round)],
    cast.changed(round + 1),
    ...others.map((key): Group => [message(key, roundChange(key, round + 1))]),
    // This validator's key, used by another node.
    [message(own, prepare(own, block(round, 1)))],
  ]
}

/**
 * Everything that can happen to a validator at height 1: any messages of others in four rounds, about two blocks of each;
 * timers, answers, connections, and a short sync.
 */
export const everythingFor = (keys: readonly Key[], own: Key): Everything => ({
  anytime: [
    [fired('block')],
    [fired('resend')],
    [{ kind: 'transactions-waiting' }],
    [
      { kind: 'head', head: headOf(keys, { active: false }) },
      { kind: 'head', head: headOf(keys, { active: true }) },
    ],
    ...keys.map(({ address }): Group => [{ kind: 'peer-connected', peer: address }]),
  ],
  rounds: Array.from({ length: ROUNDS }, (_, round) => inRound(keys, own, round)),
})

/** This number of random groups, mostly with rounds in order. */
export const happenings = (
  { anytime, rounds }: Everything,
  count: number,
  below: (limit: number) => number,
): readonly Input[] =>
  Array.from({ length: count }, (_, index) => {
    const chance = below(10)
    const round = chance < 8 ? Math.floor((index * ROUNDS) / count) : below(ROUNDS)
    const groups = chance === 0 ? anytime : at(rounds, round)
    return at(groups, below(groups.length))
  }).flat()
