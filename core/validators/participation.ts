import { type Address, equalBytes } from '../bytes/bytes.ts'
import { proposerOf } from './proposer.ts'

/** The fields of a sealed block that show the participation of validators. */
export type SealedBlock = {
  /** Proposer of the previous block, from which the rotation of proposers continues. */
  readonly previousProposer: Address
  readonly proposer: Address
  /** The round in which it was decided. */
  readonly round: number
  /** Signers of its seals, undefined for an invalid seal. */
  readonly sealers: readonly (Address | undefined)[]
}

export type Participation = {
  readonly proposer: Address
  /** The proposers of earlier rounds, one entry for each round; a validator may be in it more than once. */
  readonly missedProposals: readonly Address[]
  /** Validators without a seal in the block. A quorum of seals suffices, so a slow validator may have none. */
  readonly missedSeals: readonly Address[]
}

/** Limit on the rounds counted for one block; more rounds say nothing further about a validator. */
const ROUNDS_MAX = 1_000

/** The proposer, the validators that failed to propose, and those without a seal. `validators` are the block's, ascending. */
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
