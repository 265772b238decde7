/** Seeds that show a fault the machine, or the simulation, once had, where it is put back. */
export type PastSeed = {
  readonly seed: number
  /** As given on the command line; undefined where the seed decides. */
  readonly validators: number | undefined
  readonly reason: string
}

export const PAST_SEEDS: readonly PastSeed[] = [
  {
    seed: 87,
    validators: undefined,
    reason: 'a round change for a later round took the place of one that justified the proposal being made',
  },
  {
    seed: 383,
    validators: undefined,
    reason: 'a better certificate came while the block of another one was verified to be proposed again',
  },
  {
    seed: 212,
    validators: undefined,
    reason: 'a certificate came while a new block was made',
  },
  {
    seed: 2263,
    validators: undefined,
    reason:
      'a validator prepared while its signer failed began again below its certificate and asked for a round with it',
  },
  {
    seed: 71,
    validators: 4,
    reason: 'a validator whose signer failed left round after round, and the others took long to follow it',
  },
  {
    seed: 4755,
    validators: undefined,
    reason:
      'of the simulation itself: nodes 400 blocks behind came level too late, because they waited a second after each 16',
  },
  {
    seed: 1895,
    validators: undefined,
    reason:
      'timeouts had grown to 16 seconds while messages were lost, and a silent validator’s turn came when none were any more',
  },
]
