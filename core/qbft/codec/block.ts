import type { Block } from '../../chain/block.ts'
import { decodeBlock } from '../../chain/codec/block.ts'
import { decodeExtraData } from '../../chain/codec/extraData.ts'
import { RlpError } from '../../rlp/rlp.ts'
import { countItems, type RawItem } from './rawItem.ts'

/**
 * Bytes that an RLP item of a block has on average, at least. The densest honest ones, access lists without storage keys,
 * have seven; less would only blow up memory.
 */
const ITEM_BYTES_MIN = 4

/** Room for a thousand validators and as many seals. */
const EXTRA_DATA_BYTES_MAX = 131_072

/**
 * A block as a message carries it, with extraData that decodes, so that its digest can be had. Header fields are copies,
 * transactions views of the message.
 * @throws RlpError
 * @throws DecodeError
 */
export const decodeMessageBlock = (raw: RawItem): Block => {
  const itemsMax = Math.ceil(raw.length / ITEM_BYTES_MIN)
  if (countItems(raw, itemsMax) > itemsMax)
    throw new RlpError(`block of ${raw.length} bytes has more than ${itemsMax} items`)
  const block = decodeBlock(raw)
  const { extraData } = block.header
  if (extraData.length > EXTRA_DATA_BYTES_MAX)
    throw new RlpError(`extraData has ${extraData.length} bytes, at most ${EXTRA_DATA_BYTES_MAX} are read`)
  decodeExtraData(extraData)
  return block
}
