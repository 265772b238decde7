import type { Address, Hash } from '../bytes/bytes.ts'
import type { Seal } from '../chain/codec/seal.ts'
import type { Dialect } from './message.ts'

/** What of the genesis file's `config.qbft` and of the node's options the machine goes by; the same for all heights. */
export type QbftEnvironment = {
  /** The own validator address. */
  readonly address: Address
  /** 65 bytes over a 32-byte digest. May throw, as an HSM does: the message is left out and the next round is another chance. */
  readonly sign: (digest: Hash) => Seal
  readonly dialect: Dialect
  /** Of round 0, and of each round until a quorum was heard. */
  readonly requestTimeoutMs: number
  /** Doubling ends here. */
  readonly requestTimeoutMaxMs: number
  /** F + 1 round changes for higher rounds pull a validator along. */
  readonly earlyRoundChange: boolean
  /** Received messages of each validator that are remembered to drop repeats (`duplicatemessagelimit`). */
  readonly duplicateMessagesMax: number
  /** Messages kept for later heights (`futuremessageslimit`); 0 keeps none. */
  readonly futureMessagesMax: number
  /** How many heights ahead they may be (`futuremessagesmaxdistance`). */
  readonly futureDistanceMax: number
}
