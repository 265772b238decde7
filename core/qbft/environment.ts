import type { Address, Hash } from '../bytes/bytes.ts'
import type { Seal } from '../block/codec/seal.ts'
import type { Dialect } from './message.ts'

/** The settings from the genesis file's `config.qbft` and the node's options; the same for all heights. */
export type QbftEnvironment = {
  /** The address of this validator. */
  readonly address: Address
  /**
   * Signs a 32-byte digest; 65 bytes. May throw, as an HSM may: the message is then not sent, and the next round is another
   * chance.
   */
  readonly sign: (digest: Hash) => Seal
  readonly dialect: Dialect
  /** Timeout of round 0, and of later rounds until a quorum was heard. */
  readonly requestTimeoutMs: number
  /** Upper limit of the round timeout. */
  readonly requestTimeoutMaxMs: number
  /** True when F + 1 round changes for higher rounds make this validator change its round, too. */
  readonly earlyRoundChange: boolean
  /** Received messages remembered per validator to drop duplicates (`duplicatemessagelimit`). */
  readonly duplicateMessagesMax: number
  /** Messages kept for later heights (`futuremessageslimit`); 0 keeps none. */
  readonly futureMessagesMax: number
  /** Largest distance of their height (`futuremessagesmaxdistance`). */
  readonly futureDistanceMax: number
}
