/**
 * What holds after each transition of the consensus, whatever peers send. A broken one is a fault of this program: what it would
 * sign next could contradict what it signed before. core/README.md names the tests beside each.
 */
const INVARIANTS = {
  'heights-rise': 'the height never falls',
  'rounds-rise': 'within a height the round never falls',
  'silent-when-inactive': 'a validator that is not active sends nothing and runs no timer',
  'timer-of-height': 'a timer that starts is of the current height',
  'one-vote-each': 'each validator has at most one round change, prepare and commit',
  'signed-once': 'a recorded signature of a round is never replaced by another one',
  'signed-in-allowed-round': 'nothing is signed below the lowest allowed round',
  'record-before-signature': 'the restart record is written before a new signature is sent',
  'lock-kept': 'a prepared certificate is never replaced by one of an earlier round',
  'lock-has-quorum': 'a prepared certificate has a quorum of prepares',
  'round-change-after-lock': 'a round change asks for a round after that of its certificate',
  'proposal-has-quorum': 'a proposal after round 0 has a quorum of round changes for its round',
  'accepted-in-open-round': 'a proposal is accepted in a round that has begun and is not decided',
  'accepted-was-verified': 'the block of an accepted proposal was found valid',
  'sealed-was-verified': 'the block of a decision was not found invalid, and is not being verified',
  'sealed-by-quorum': 'a decision has valid seals of a quorum of different validators',
  'evidence-of-round': 'a signature is compared with those of its own round',
  'signers-at-most-all': 'a list of signers is checked against at least as many validators',
  'timeout-in-bounds': 'a round lasts at least the base timeout, and for a finite time',
} as const

export type InvariantName = keyof typeof INVARIANTS

/** An invariant is broken: the validator must not sign again before somebody has looked at why. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken'
  readonly code = 'INVARIANT_BROKEN'
  readonly invariant: InvariantName
  constructor(invariant: InvariantName, detail: string) {
    super(
      `the invariant ${invariant} is broken (${INVARIANTS[invariant]}): ${detail}. This is a fault of this program: keep the log, report it, and restart the node`,
    )
    this.invariant = invariant
  }
}

/** @throws InvariantBroken unless the condition holds; `detail` says what was found instead */
export const assertInvariant: (
  condition: boolean,
  invariant: InvariantName,
  detail: () => string,
) => asserts condition = (condition, invariant, detail) => {
  if (!condition) throw new InvariantBroken(invariant, detail())
}
