import type { Address, Hash } from '../bytes/bytes.ts'
import type { Block } from '../block/block.ts'
import type { WireMessage } from './message.ts'

/** Started by an effect; a new timer replaces one of the same kind. */
export type Timer =
  /** The next block may be produced. */
  | { readonly kind: 'block'; readonly sequence: bigint }
  /** The round timed out. */
  | { readonly kind: 'round'; readonly sequence: bigint; readonly round: number }
  /** Time to send this validator's round change again. */
  | { readonly kind: 'resend'; readonly sequence: bigint }
  /** Time to request the positions of other validators again. */
  | { readonly kind: 'recall'; readonly sequence: bigint }

/** The head of the chain and the parameters of the next block. */
export type HeadContext = {
  /** Number of the head; the next block is `number + 1`. */
  readonly number: bigint
  readonly hash: Hash
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** Coinbase of the head: the proposer rotation continues from it. */
  readonly coinbase: Address
  /** The validators of the next block, ascending. */
  readonly validators: readonly Address[]
  /** Earliest time of the next block, milliseconds since 1970. */
  readonly readyAtMs: number
  /** The next block may be empty strictly after this time; -Infinity when it always may. */
  readonly emptyAtMs: number
  /** Interval between checks for transactions while the block would be empty. */
  readonly periodMs: number
  /** Minimum whole seconds between two blocks; 0 for sub-second periods. */
  readonly spacingSeconds: number
  /** False during sync: the validator keeps messages, but sends none and runs no timer. */
  readonly active: boolean
}

/** All inputs of the state machine. */
export type Input =
  | { readonly kind: 'message'; readonly message: WireMessage; readonly peer: Address }
  /** `transactionsWaiting` is true when the pool could fill a block. */
  | { readonly kind: 'timer'; readonly timer: Timer; readonly transactionsWaiting: boolean }
  /** The chain has a new head, or an old one whose `active` changed. */
  | { readonly kind: 'head'; readonly head: HeadContext }
  /** Answer to `build-block`; undefined when building failed. The block has no seals and counts as verified. */
  | {
      readonly kind: 'block-built'
      readonly sequence: bigint
      readonly round: number
      readonly block: Block | undefined
    }
  /** Answer to `verify-block`. `hash` is the on-chain hash. */
  | { readonly kind: 'block-verified'; readonly hash: Hash; readonly invalid: string | undefined }
  /** Answer to `verify-block` when the time limit ran out: the block may be valid or invalid. */
  | { readonly kind: 'block-unverified'; readonly hash: Hash }
  /** Answer to `import-block` when it failed; success shows as a new head. */
  | { readonly kind: 'import-failed'; readonly hash: Hash }
  /** The height of a validator whose node does not know the position messages, derived from its status. */
  | { readonly kind: 'position'; readonly peer: Address; readonly sequence: bigint }
  /** A validator's node is connected (again). */
  | { readonly kind: 'peer-connected'; readonly peer: Address }
  /** Another node may have signed with this validator's key: the restart record may miss signatures. */
  | { readonly kind: 'record-doubted' }
  /** A transaction entered an empty pool. */
  | { readonly kind: 'transactions-waiting' }

/** A received message as an input. */
export type MessageInput = Extract<Input, { readonly kind: 'message' }>
