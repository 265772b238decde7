import type { Address, Hash } from '../bytes/bytes.ts'
import type { Block } from '../block/block.ts'
import type { Timer } from './input.ts'
import type { WireMessage } from './message.ts'
import type { RestartRecord } from './restart/restartRecord.ts'

/** The reason why a message was dropped. Operators see a count for each reason. */
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

/**
 * Two conflicting signatures of one validator, which an honest validator never makes: two proposals, prepares or commits of
 * one round.
 */
export type Evidence = {
  readonly author: Address
  readonly sequence: bigint
  readonly round: number
  readonly first: WireMessage
  readonly second: WireMessage
}

/** The reason why a round started. */
export type RoundReason =
  | 'block-timer'
  | 'proposal'
  | 'timeout'
  | 'round-changes'
  | 'early-round-change'
  | 'restart'

/** The effect of a kind. */
export type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { readonly kind: Kind }>

/**
 * A request of the state machine. The effects of a transition are performed in order; `record` must be complete before the
 * next effect starts.
 */
export type Effect =
  /** Must be durable before the next effect, because that sends signatures. */
  | { readonly kind: 'record'; readonly record: RestartRecord }
  /** Sent to each of these validators that is connected. */
  | { readonly kind: 'broadcast'; readonly message: WireMessage; readonly to: readonly Address[] }
  | { readonly kind: 'send'; readonly message: WireMessage; readonly to: Address }
  /**
   * Sent to each of these that is connected: this validator's position, a request for theirs, or the receiver's own signed
   * messages. Has no signature of this validator.
   */
  | { readonly kind: 'inform'; readonly message: WireMessage; readonly to: readonly Address[] }
  /** A message of another validator, forwarded to validators that its author may not reach. */
  | {
      readonly kind: 'relay'
      readonly message: WireMessage
      readonly author: Address
      readonly from: Address
      readonly to: readonly Address[]
    }
  /** Replaces a running timer of the same kind. Fires immediately when `atMs` is in the past. */
  | { readonly kind: 'start-timer'; readonly timer: Timer; readonly atMs: number }
  | { readonly kind: 'cancel-timer'; readonly timer: Timer['kind'] }
  /** Answered by `block-built`. `timestamp` in seconds. */
  | {
      readonly kind: 'build-block'
      readonly sequence: bigint
      readonly round: number
      readonly timestamp: bigint
    }
  /**
   * Answered by `block-verified` or `block-unverified`. Checks all block rules except the seals, and executes the block.
   * `hash` is the on-chain hash.
   */
  | { readonly kind: 'verify-block'; readonly block: Block; readonly hash: Hash }
  /**
   * The block with a quorum of seals, verified or built by this node. Answered by a new head or by `import-failed`. With
   * `isRecorded`, the restart records of a quorum of validators can restore the block even if all of them lose it; without
   * it, the block must be durable on this node before it is sent to a peer.
   */
  | {
      readonly kind: 'import-block'
      readonly block: Block
      readonly hash: Hash
      /** The signer of each seal, in the same order; undefined for an invalid seal. */
      readonly sealers: readonly (Address | undefined)[]
      readonly isRecorded: boolean
    }
  /** The peer has blocks up to this number. */
  | { readonly kind: 'peer-ahead'; readonly peer: Address; readonly number: bigint }
  | { readonly kind: 'evidence'; readonly evidence: Evidence }
  /** A message that was dropped; `author` is undefined when it is unknown. */
  | {
      readonly kind: 'dropped'
      readonly reason: DropReason
      readonly peer: Address
      readonly author: Address | undefined
      readonly detail: string
    }
  /**
   * A restarted validator signs from that round of the height on. `round` is undefined while it must not sign, because
   * fewer than `needed` validators have reported their position, or one of them is ahead. For logs.
   */
  | {
      readonly kind: 'recall'
      readonly sequence: bigint
      readonly round: number | undefined
      readonly reported: number
      readonly needed: number
    }
  /**
   * For logs and metrics. `heard` lists the validators from which a message of this round or a later one arrived, including
   * this one.
   */
  | {
      readonly kind: 'round-started'
      readonly sequence: bigint
      readonly round: number
      readonly timeoutMs: number
      readonly reason: RoundReason
      readonly heard: readonly Address[]
      readonly quorum: number
    }
