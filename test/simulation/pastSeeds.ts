import { type Settings, settingsOf } from './settings.ts'

/** Seeds that show a fault the machine, or the simulation, once had, where it is put back. */
export type PastSeed = {
  readonly seed: number
  /** As given on the command line; undefined where the seed decides. */
  readonly validators: number | undefined
  readonly reason: string
  /** Of the seed's settings, those that it decides otherwise than when it was found. */
  readonly before?: Partial<Settings>
}

export const settingsOfPast = ({ seed, validators, before }: PastSeed): Settings => ({
  ...settingsOf(seed, validators),
  ...before,
})

/** How the simulation was when the first ones were found: a block was durable before it was the head, and no power was cut. */
const LASTING: Partial<Settings> = { durable: 'now', powerCuts: false }

export const PAST_SEEDS: readonly PastSeed[] = [
  {
    seed: 87,
    validators: undefined,
    reason: 'a round change for a later round took the place of one that justified the proposal being made',
    before: LASTING,
  },
  {
    seed: 383,
    validators: undefined,
    reason: 'a better certificate came while the block of another one was verified to be proposed again',
    before: LASTING,
  },
  {
    seed: 212,
    validators: undefined,
    reason: 'a certificate came while a new block was made',
    before: LASTING,
  },
  {
    seed: 2263,
    validators: undefined,
    reason:
      'a validator prepared while its signer failed began again below its certificate and asked for a round with it',
    before: LASTING,
  },
  {
    seed: 71,
    validators: 4,
    reason: 'a validator whose signer failed left round after round, and the others took long to follow it',
    before: LASTING,
  },
  {
    seed: 4755,
    validators: undefined,
    reason:
      'of the simulation itself: nodes 400 blocks behind came level too late, because they waited a second after each 16',
    before: LASTING,
  },
  {
    seed: 1895,
    validators: undefined,
    reason:
      'timeouts had grown to 16 seconds while messages were lost, and a silent validator’s turn came when none were any more',
    before: LASTING,
  },
  {
    seed: 4071,
    validators: undefined,
    reason:
      'a validator that was not prepared counted its own commit, and lost the block, of which too few had a certificate',
  },
  {
    seed: 9009,
    validators: undefined,
    reason:
      'validators that had started followed F + 1 others into a round below the lowest that they signed in, and all waited there',
  },
  {
    seed: 300001,
    validators: 4,
    reason:
      'one faulty validator asked for a round far ahead, and another one left each round just before the others came into it',
    before: { attacks: ['forerunner'] },
  },
  {
    seed: 200683,
    validators: undefined,
    reason:
      'a validator that learned what it may sign proposed in a round that some of the quorum had left, with the round changes of the others',
  },
]
