import { BLOCK_HASHES_MAX } from '../transaction/environment.ts'
import { numbers, putBytes32 } from '../interpreter/stack.ts'
import type { Operation } from './operation.ts'

const blockHash: Operation = (frame, sp, gas) => {
  const { number, blockHash: hashOf } = frame.context.environment
  const requested = numbers[sp]!
  numbers[sp] = 0
  if (requested !== requested) return gas
  const wanted = BigInt(requested)
  if (wanted >= number || wanted + BLOCK_HASHES_MAX < number) return gas
  const hash = hashOf(wanted)
  if (hash !== undefined) putBytes32(sp, hash)
  return gas
}

/** EIP-4844. */
const blobHash: Operation = (frame, sp, gas) => {
  const hash = frame.context.blobHashes[numbers[sp]!]
  if (hash === undefined) numbers[sp] = 0
  else putBytes32(sp, hash)
  return gas
}

export const BLOCK: Readonly<Record<number, Operation>> = { 0x40: blockHash, 0x49: blobHash }
