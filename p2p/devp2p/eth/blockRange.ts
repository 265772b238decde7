import type { Hash } from '../../../core/bytes/bytes.ts'
import { rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, rlpBytes } from '../../../core/rlp/rlp.ts'
import { type BlockNumbers, readBlockNumbers } from './status.ts'

/** The blocks that a node has, and the hash of the last (EIP-7642, "BlockRangeUpdate"). */
export type BlockRange = BlockNumbers & { readonly latestHash: Hash }

export const encodeBlockRange = ({ earliest, latest, latestHash }: BlockRange): Uint8Array =>
  encodeRlp([earliest, latest, latestHash])

/** @throws RlpError */
export const decodeBlockRange = (payload: Uint8Array): BlockRange => {
  const [earliest, latest, hash] = rawItems(payload, 'a range of blocks', 3)
  return {
    ...readBlockNumbers(earliest, latest),
    latestHash: rlpBytes(rawString(hash, 'the hash of a block'), 'the hash of a block', 32).slice(),
  }
}
