import type { Block } from '../../chain/block.ts'
import { decodeBlockSteps } from '../../chain/codec/block.ts'
import { decodeExtraData } from '../../chain/codec/extraData.ts'
import { RlpError } from '../../rlp/rlp.ts'
import type { RawItem } from '../../rlp/rawItem.ts'
import type { Steps } from '../../steps.ts'

/** Room for a thousand validators and as many seals. */
const EXTRA_DATA_BYTES_MAX = 131_072

/**
 * A block as a message carries it, with extraData that decodes, so that its digest can be had. Header fields are copies,
 * transactions views of the message.
 * @throws RlpError
 * @throws DecodeError
 */
export function* decodeMessageBlock(raw: RawItem): Steps<Block> {
  const block = yield* decodeBlockSteps(raw)
  const { extraData } = block.header
  if (extraData.length > EXTRA_DATA_BYTES_MAX)
    throw new RlpError(`extraData has ${extraData.length} bytes, at most ${EXTRA_DATA_BYTES_MAX} are read`)
  decodeExtraData(extraData)
  return block
}
