import type { Address, Hash } from '../bytes/bytes.ts'
import type { Block } from '../chain/block.ts'
import type { Timer } from './input.ts'
import type { WireMessage } from './message.ts'
import type { RestartRecord } from './restartRecord.ts'

/** Why a message was not used; operators see how often each happens. */
export type DropReason =
  | 'duplicate'
  | 'unknown-code'
  | 'undecodable'
  | 'oversized'
  | 'past-height'
  | 'past-round'
  | 'far-future-height'
  | 'far-future-round'
  | 'not-a-validator'
  | 'bad-signature'
  | 'over-author-limit'
  | 'over-buffer-limit'
  | 'not-the-proposer'
  | 'unjustified'
  | 'wrong-digest'
  | 'bad-seal'
  | 'invalid-block'
  | 'superseded'

/** Two signatures of one validator that no honest one gives: two proposals, prepares or commits of one round. */
export type Evidence = {
  readonly author: Address
  readonly sequence: bigint
  readonly round: number
  readonly first: WireMessage
  readonly second: WireMessage
}

/** Why a round began. */
export type RoundReason =
  | 'block-timer'
  | 'proposal'
  | 'timeout'
  | 'round-changes'
  | 'early-round-change'
  | 'restart'

/**
 * What the machine wants done, in order: an effect is performed, to its end where it says so, before the next one of the
 * same transition begins.
 */
export type Effect =
  /** Durable before the next effect: what follows reveals signatures. */
  | { readonly kind: 'record'; readonly record: RestartRecord }
  /** To each of these validators that is connected. */
  | { readonly kind: 'broadcast'; readonly message: WireMessage; readonly to: readonly Address[] }
  | { readonly kind: 'send'; readonly message: WireMessage; readonly to: Address }
  /**
   * To each of these that is connected: where this validator is, a question for that, or what the receiver signed itself. No
   * signature of this validator leaves with it.
   */
  | { readonly kind: 'tell'; readonly message: WireMessage; readonly to: readonly Address[] }
  /** Somebody else's message, worth passing on to validators that its author may not reach. */
  | {
      readonly kind: 'relay'
      readonly message: WireMessage
      readonly author: Address
      readonly from: Address
      readonly to: readonly Address[]
    }
  /** Replaces a running timer of the same kind. At once when `atMs` is past. */
  | { readonly kind: 'start-timer'; readonly timer: Timer; readonly atMs: number }
  | { readonly kind: 'cancel-timer'; readonly timer: Timer['kind'] }
  /** Answered by `block-built`. `timestamp` in seconds. */
  | {
      readonly kind: 'build-block'
      readonly sequence: bigint
      readonly round: number
      readonly timestamp: bigint
    }
  /** Answered by `block-verified` or `block-unverified`: every rule but seals, and execution. `hash` is the on-chain hash. */
  | { readonly kind: 'verify-block'; readonly block: Block; readonly hash: Hash }
  /**
   * The block with a quorum of seals; it was verified or built here. Answered by a new head, or `import-failed`. With
   * `isRecorded` what validators recorded brings it back should it get lost, all of them at once included; without, it must
   * be durable here before anybody is told of it.
   */
  | {
      readonly kind: 'import-block'
      readonly block: Block
      readonly hash: Hash
      /** Who made its seals, in their order; undefined for one that nobody did. */
      readonly sealers: readonly (Address | undefined)[]
      readonly isRecorded: boolean
    }
  /** The peer knows of blocks up to this number. */
  | { readonly kind: 'peer-ahead'; readonly peer: Address; readonly number: bigint }
  | { readonly kind: 'evidence'; readonly evidence: Evidence }
  /** `author` where it is known. */
  | {
      readonly kind: 'dropped'
      readonly reason: DropReason
      readonly peer: Address
      readonly author: Address | undefined
      readonly detail: string
    }
  /**
   * A validator that started signs from that round of the height on; nothing while `round` is undefined, because fewer others
   * than `needed` have told where they are, or one of them is ahead. For logs.
   */
  | {
      readonly kind: 'recall'
      readonly sequence: bigint
      readonly round: number | undefined
      readonly told: number
      readonly needed: number
    }
  /** For logs and metrics. `heard` are the validators that a message of this round or a later one came from, self included. */
  | {
      readonly kind: 'round-started'
      readonly sequence: bigint
      readonly round: number
      readonly timeoutMs: number
      readonly reason: RoundReason
      readonly heard: readonly Address[]
      readonly quorum: number
    }
