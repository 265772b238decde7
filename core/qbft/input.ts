import type { Address, Hash } from '../bytes/bytes.ts'
import type { Block } from '../chain/block.ts'
import type { Position } from './codec/position.ts'
import type { WireMessage } from './message.ts'

/** Started by an effect; a new one of the same kind replaces the old. */
export type Timer =
  /** The next block may be made. */
  | { readonly kind: 'block'; readonly sequence: bigint }
  /** The round took too long. */
  | { readonly kind: 'round'; readonly sequence: bigint; readonly round: number }
  /** The own round change is sent again. */
  | { readonly kind: 'resend'; readonly sequence: bigint }
  /** The others are asked again where they are. */
  | { readonly kind: 'recall'; readonly sequence: bigint }

/** The head of the chain and all that governs the block after it. */
export type HeadContext = {
  /** Of the head. The block to be agreed on is `number + 1`. */
  readonly number: bigint
  readonly hash: Hash
  /** Seconds since 1970. */
  readonly timestamp: bigint
  /** Of the head: the rotation of proposers goes on from it. */
  readonly coinbase: Address
  /** That govern the next block, ascending. */
  readonly validators: readonly Address[]
  /** When the next block may be made, milliseconds since 1970. */
  readonly readyAtMs: number
  /** Later than this, strictly, it may be empty; -Infinity where it always may. */
  readonly emptyAtMs: number
  /** How long a node waits between looks for transactions while a block would be empty. */
  readonly periodMs: number
  /** Whole seconds that must lie between two blocks; 0 for sub-second periods. */
  readonly spacingSeconds: number
  /** False while the chain is being caught up with: messages are kept, nothing is sent and no timer runs. */
  readonly active: boolean
}

/** Everything that can happen to a validator. */
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
  /** The other answer to `verify-block`: the time for it was too short, which says nothing about the block. */
  | { readonly kind: 'block-unverified'; readonly hash: Hash }
  /** Answer to `import-block` when it failed; success shows as a new head. */
  | { readonly kind: 'import-failed'; readonly hash: Hash }
  /** Where a validator is, by what its node says that knows no messages for it. */
  | { readonly kind: 'position'; readonly peer: Address; readonly position: Position }
  /** A validator's node is connected (again). */
  | { readonly kind: 'peer-connected'; readonly peer: Address }
  /** A transaction came into a pool that had none. */
  | { readonly kind: 'transactions-waiting' }
