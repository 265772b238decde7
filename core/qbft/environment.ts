import type { Address, Hash } from '../bytes/bytes.ts'
import type { Seal } from '../block/codec/seal.ts'
import type { KnownTransaction } from '../block/transaction.ts'
import type { Steps } from '../steps.ts'
import type { Dialect } from './message.ts'

/** The settings from the genesis file's `config.qbft` and the node's options; the same for all heights. */
export type QbftEnvironment = {
  /** The address of this validator. */
  readonly address: Address
  /**
   * Signs a 32-byte digest; returns 65 bytes, or steps that yield until a remote signer has answered. `preimage` returns the
   * bytes of which the digest is the keccak256 hash. May throw, as a remote signer does when it is unreachable: the message is
   * then not sent, and the validator tries again in the next round.
   */
  readonly sign: (digest: Hash, preimage: () => Uint8Array) => Seal | Steps<Seal>
  readonly dialect: Dialect
  /**
   * True when the extraData of every block that this validator proposes has round 0. GoQuorum requires it, because it
   * hashes proposed blocks with round 0, and its votes would otherwise have another digest. False for the round of the
   * proposal, which Besu requires from 24.12 on. Both are accepted from others.
   */
  readonly proposesRoundZero: boolean
  /** Transactions of a proposal that this node has decoded before, so that it does not decode them again. */
  readonly knownTransaction?: KnownTransaction
  /** Timeout of round 0, and of later rounds until a quorum was heard. */
  readonly requestTimeoutMs: number
  /** Upper limit of the round timeout. */
  readonly requestTimeoutMaxMs: number
  /** True when F + 1 round changes for higher rounds make this validator change its round, too. */
  readonly earlyRoundChange: boolean
  /** Received messages remembered per validator to drop duplicates (`duplicatemessagelimit`). */
  readonly duplicateMessagesMax: number
  /** Most messages kept for later heights (`futuremessageslimit`); 0 to keep none. */
  readonly futureMessagesMax: number
  /** Largest distance of the height of a kept message (`futuremessagesmaxdistance`). */
  readonly futureDistanceMax: number
}
