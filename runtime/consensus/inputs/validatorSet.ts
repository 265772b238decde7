import type { Address } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { quorumOf } from '../../../core/validators/quorum.ts'

/** Why no quorum of these validators can exist, as where their contract names none, or one twice; undefined where it can. */
export const validatorSetFault = (number: bigint, validators: readonly Address[]): string | undefined => {
  if (validators.length === 0) return `block ${number} has no validators: their contract names none`
  const different = new Set(validators.map(toBareHex)).size
  const quorum = quorumOf(validators.length)
  return different >= quorum
    ? undefined
    : `the list of validators of block ${number} names ${different} different of ${validators.length}, and a quorum of it is ${quorum}`
}
