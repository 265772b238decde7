import { ETH } from '../ethCodes.ts'
import type { Protocol } from './session.ts'

const KIBIBYTE = 1024
/** Both clients refuse larger messages. */
export const ETH_MESSAGE_BYTES_MAX = 10 * KIBIBYTE * KIBIBYTE

/**
 * A request of 4,096 hashes: go-ethereum asks for thousands of transactions at once. What exceeds the limits of an answer is not answered,
 * which costs the peer nothing.
 */
const REQUEST_BYTES_MAX = 136 * KIBIBYTE
/** Announced blocks: clients announce one at a time. */
const BLOCK_HASHES_BYTES_MAX = 64 * KIBIBYTE

/** Inflated sizes of the messages that are not allowed to be as large as an answer. */
const ETH_BYTES_MAX: Readonly<Record<number, number>> = {
  [ETH.status]: 4 * KIBIBYTE,
  [ETH.newBlockHashes]: BLOCK_HASHES_BYTES_MAX,
  [ETH.getBlockHeaders]: KIBIBYTE,
  [ETH.getBlockBodies]: REQUEST_BYTES_MAX,
  // 4,096 hashes with types and sizes.
  [ETH.newPooledTransactionHashes]: 400 * KIBIBYTE,
  [ETH.getPooledTransactions]: REQUEST_BYTES_MAX,
  [ETH.getNodeData]: REQUEST_BYTES_MAX,
  [ETH.getReceipts]: REQUEST_BYTES_MAX,
  [ETH.blockRangeUpdate]: KIBIBYTE,
}

/** Largest inflated payload of a message of eth. */
const ethBytesMax = (code: number): number => ETH_BYTES_MAX[code] ?? ETH_MESSAGE_BYTES_MAX

/** Inflated size of a message of quorate: a list of addresses. */
const QUORATE_BYTES_MAX = 32 * KIBIBYTE

/** Largest inflated payload of a message. */
export const bytesMaxOf = (protocol: Protocol, code: number): number => {
  if (protocol === 'quorate') return QUORATE_BYTES_MAX
  return protocol === 'eth' ? ethBytesMax(code) : ETH_MESSAGE_BYTES_MAX
}

/** Incompressible bytes grow by a sixth at most when they are compressed. */
export const FRAME_BYTES_MAX = ETH_MESSAGE_BYTES_MAX + Math.ceil(ETH_MESSAGE_BYTES_MAX / 6) + 64
