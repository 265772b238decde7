import type { Block } from '../../block/block.ts'
import type { KnownTransaction } from '../../block/transaction.ts'
import { decodeBlockSteps } from '../../block/codec/block.ts'
import { decodeExtraData } from '../../block/codec/extraData.ts'
import { RlpError } from '../../rlp/rlp.ts'
import type { RawItem } from '../../rlp/rawItem.ts'
import type { Steps } from '../../steps.ts'

/** Longest extraData in a message: enough for a thousand validators and as many seals. */
const QBFT_EXTRA_DATA_BYTES_MAX = 131_072

/**
 * Decodes a block of a message and checks that its extraData decodes, because the digest depends on it. Header fields are
 * copies, transactions are views of the message or known ones.
 * @throws RlpError
 * @throws DecodeError
 */
export function* decodeMessageBlock(raw: RawItem, known?: KnownTransaction): Steps<Block> {
  const block = yield* decodeBlockSteps(raw, known)
  const { extraData } = block.header
  if (extraData.length > QBFT_EXTRA_DATA_BYTES_MAX)
    throw new RlpError(
      `extraData has ${extraData.length} bytes, at most ${QBFT_EXTRA_DATA_BYTES_MAX} are read`,
    )
  decodeExtraData(extraData)
  return block
}
