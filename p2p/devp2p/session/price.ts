import { ANSWER_CODES, ETH } from '../ethCodes.ts'
import type { Frame } from '../rlpx/frames.ts'
import { inflatedLength } from '../snappy/decompress.ts'
import { kindOf } from './messageKind.ts'
import type { Session } from './session.ts'

/** Two MACs, and the way to the handler of its message. */
const FRAME_PRICE = 2 * 1024
/** Inflating a byte takes a third of the time of authenticating one, and its decoding as long. */
const INFLATED_PRICE = 0.5
/** Each hash of 33 bytes is looked up and remembered, which takes microseconds. */
const HASHES_PRICE = 6
/** Messages that are mostly hashes. */
const OF_HASHES: ReadonlySet<number> = new Set([
  ETH.newBlockHashes,
  ETH.newPooledTransactionHashes,
  ETH.getBlockBodies,
  ETH.getReceipts,
  ETH.getPooledTransactions,
])

const lengthOf = ({ compresses }: Session, payload: Uint8Array): number => {
  if (!compresses) return payload.length
  try {
    return inflatedLength(payload)
  } catch {
    // A block without a length is refused when it is read.
    return 0
  }
}

/**
 * What the work for a frame costs, before it is done. An answer is not inflated unless this node asked for it.
 */
export const priceOfFrame = (session: Session, { id, payload }: Frame): number => {
  const kind = kindOf(session, id)
  if (kind?.protocol === 'eth' && ANSWER_CODES.has(kind.code)) return FRAME_PRICE
  const isOfHashes = kind?.protocol === 'eth' && OF_HASHES.has(kind.code)
  return FRAME_PRICE + lengthOf(session, payload) * (isOfHashes ? HASHES_PRICE : INFLATED_PRICE)
}
