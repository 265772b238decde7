import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'
import type { RpcOptions } from '../../../handlers/rpc/context.ts'
import type { RpcErrorObject } from '../../../handlers/rpc/errors.ts'
import type { CompressedPiece } from './compressedJson.ts'

/*
 * Messages between the main thread and the call workers. A worker has no store of its own: it requests what a call needs from
 * the store server on the main thread and blocks until the answer arrives. Only the main thread knows what is in memory, in
 * caches and on disk. The data of a given block never changes, so commits and flushes between two answers do no harm.
 */

/** Start parameters of a call worker. */
export type CallWorkerSetup = {
  /** Shared memory for answers; see answerBuffer.ts. */
  readonly buffer: SharedArrayBuffer
  readonly configuration: ChainConfiguration
  /** encodeChainHead of block 0. */
  readonly genesis: Uint8Array
  readonly options: RpcOptions
  /** Whether the worker compiles code that is often called. */
  readonly evmCompilerEnabled: boolean
}

/** One RPC call to run. A worker runs one at a time. */
export type WorkerCall = {
  /** Unique number of the call, also used to cancel it. */
  readonly id: number
  readonly method: string
  /** JSON. */
  readonly params: string
  /** encodeChainHead of the head at which the call starts. */
  readonly head: Uint8Array
  /** Current minimum gas price in wei; the only option that changes while the node runs. */
  readonly minGasPrice: bigint
  /** Grows when the data of known blocks has changed: the worker then forgets what it read. */
  readonly rewinds: number
}

/** Request for data of a block or of a hash. Block numbers are at most the head's. */
export type StoreRequest =
  /** Answered in accountCodec. This and the next two read the state after the block. */
  | { readonly kind: 'account'; readonly number: bigint; readonly address: Address }
  | { readonly kind: 'slot'; readonly number: bigint; readonly address: Address; readonly slot: Uint8Array }
  | { readonly kind: 'code'; readonly codeHash: Hash }
  /** encodeHeader. */
  | { readonly kind: 'header'; readonly number: bigint }
  /** The block record as committed, see core/store/segments/segment.ts. */
  | { readonly kind: 'segment'; readonly number: bigint }
  /** Answered with the first kept block in 8 bytes, and with nothing while all are kept. */
  | { readonly kind: 'historyStart' }
  /** The hash. */
  | { readonly kind: 'recentHash'; readonly number: bigint }
  /** Answered with the block number in 8 bytes. */
  | { readonly kind: 'numberOfHash'; readonly hash: Hash }
  /** Answered with the block number in 8 bytes and the index in 4. */
  | { readonly kind: 'transaction'; readonly hash: Hash }
  /** A trie node of the state at this head. */
  | { readonly kind: 'node'; readonly key: string; readonly head: bigint }

/** Outcome of a call: text if short, otherwise pieces whose memory is transferred between threads. */
export type WorkerOutcome =
  | { readonly resultText: string }
  | { readonly pieces: readonly CompressedPiece[] }
  | { readonly error: RpcErrorObject }

/** Messages of a call worker. `more` requests the next piece of an answer longer than the buffer. */
export type FromCallWorker =
  | { readonly kind: 'request'; readonly request: StoreRequest }
  | { readonly kind: 'more' }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: WorkerOutcome }
  /** An internal error, for the node's log. */
  | { readonly kind: 'fault'; readonly method: string; readonly text: string }
