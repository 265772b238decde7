import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'
import type { RpcOptions } from '../../../handlers/rpc/context.ts'
import type { RpcErrorObject } from '../../../handlers/rpc/dispatch/errors.ts'
import type { PackedBytes } from './packed.ts'

/*
 * Between the main thread and its readers. A reader has no store of its own: what a call needs of the chain it asks the main
 * thread for, and waits. The main thread alone knows what is in memory, in caches and on the disk, whatever the storage is; and
 * what stands at a given block never changes, so neither commits nor flushes can come between two answers.
 */

/** What a reader is started with. */
export type ReaderSetup = {
  /** Through which answers come; see answerBuffer.ts. */
  readonly buffer: SharedArrayBuffer
  readonly configuration: ChainConfiguration
  /** encodeChainHead of block 0. */
  readonly genesis: Uint8Array
  readonly options: RpcOptions
}

/** One call to run. Only one is under way. */
export type ReaderCall = {
  /** Tells it from the others; what is ended is ended by this number. */
  readonly id: number
  readonly method: string
  /** JSON. */
  readonly params: string
  /** encodeChainHead of the head at which it begins. */
  readonly head: Uint8Array
  /** Of the options the one that may change while the node runs. Wei. */
  readonly minGasPrice: bigint
}

/** What stands at a block, or under a hash. Numbers are those of blocks up to the head. */
export type Ask =
  /** accountCodec, as all three at the state after the block. */
  | { readonly kind: 'account'; readonly number: bigint; readonly address: Address }
  | { readonly kind: 'slot'; readonly number: bigint; readonly address: Address; readonly slot: Uint8Array }
  | { readonly kind: 'code'; readonly codeHash: Hash }
  /** encodeHeader. */
  | { readonly kind: 'header'; readonly number: bigint }
  /** As it was committed, see core/store/segment.ts. */
  | { readonly kind: 'segment'; readonly number: bigint }
  /** The hash. */
  | { readonly kind: 'recentHash'; readonly number: bigint }
  /** Eight bytes. */
  | { readonly kind: 'numberOfHash'; readonly hash: Hash }
  /** Eight bytes of the block, four of the index. */
  | { readonly kind: 'transaction'; readonly hash: Hash }
  /** A trie record, where the head is still this one. */
  | { readonly kind: 'node'; readonly key: string; readonly head: bigint }

/** Of a call: text where it is short, otherwise pieces whose memory passes from thread to thread. */
export type ReaderOutcome =
  | { readonly resultText: string }
  | { readonly packed: readonly PackedBytes[] }
  | { readonly error: RpcErrorObject }

/** What a reader says: `more` asks for the next piece of an answer that was too long for the buffer. */
export type FromReader =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ask'; readonly ask: Ask }
  | { readonly kind: 'more' }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: ReaderOutcome }
  /** An error that is the node's own fault, for its log. */
  | { readonly kind: 'fault'; readonly method: string; readonly text: string }
