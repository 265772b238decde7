import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { quorumOf } from '../../core/validators/quorum.ts'

/** What this node is to the next block, and the line that says so. */
export type Standing = { readonly makesBlocks: boolean; readonly text: string }

/** A node makes blocks alone or not at all: agreement between nodes comes in a later release. */
export const standing = (validators: readonly Address[], address: Address): Standing => {
  const own = toHex(address)
  if (!validators.some(validator => equalBytes(validator, address)))
    return {
      makesBlocks: false,
      text: `This node (${own}) is not one of the ${validators.length} validators: it serves reads and makes no blocks`,
    }
  if (validators.length > 1)
    return {
      makesBlocks: false,
      text: `This node (${own}) is one of ${validators.length} validators and cannot reach the quorum of ${quorumOf(validators.length)} alone: consensus between nodes comes in a later release, it serves reads and makes no blocks`,
    }
  return { makesBlocks: true, text: `This node (${own}) is the validator` }
}
