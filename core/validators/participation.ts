import { type Address, equalBytes } from '../bytes/bytes.ts'
import { proposerOf } from './proposer.ts'

/** What a sealed block says of who took part in it. */
export type SealedBlock = {
  /** Of the block before it: the rotation of proposers continues from it. */
  readonly previousProposer: Address
  readonly proposer: Address
  /** The round in which it was decided. */
  readonly round: number
  /** Signers of its seals, undefined for an invalid seal. */
  readonly sealers: readonly (Address | undefined)[]
}

export type Participation = {
  readonly proposer: Address
  /** The proposers of the rounds before, one entry a round: a validator may stand in it more than once. */
  readonly missedProposals: readonly Address[]
  /** Validators without a seal in the block. A quorum of seals suffices, so that a slow validator may be among them. */
  readonly missedSeals: readonly Address[]
}

/** Rounds looked at of one block: a height that took more says nothing further of anybody. */
const ROUNDS_MAX = 1_000

/** Who proposed, who failed to, and who did not seal. `validators` are those of the block, ascending. */
export const participationIn = (validators: readonly Address[], block: SealedBlock): Participation => {
  const { previousProposer, proposer, sealers } = block
  const rounds = Array.from({ length: Math.min(block.round, ROUNDS_MAX) }, (_, round) => round)
  return {
    proposer,
    missedProposals: rounds.flatMap(round => proposerOf(validators, previousProposer, round) ?? []),
    missedSeals: validators.filter(
      validator => !sealers.some(sealer => sealer !== undefined && equalBytes(sealer, validator)),
    ),
  }
}
