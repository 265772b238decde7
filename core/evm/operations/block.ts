import { num, putBytes32 } from '../interpreter/stack.ts'
import type { Operation } from './operation.ts'

/** BLOCKHASH reaches back this far. */
const BLOCK_HASHES = 256n

const blockHash: Operation = (frame, sp, gas) => {
  const { number, blockHash: hashOf } = frame.context.environment
  const asked = num[sp]!
  num[sp] = 0
  if (asked !== asked) return gas
  const wanted = BigInt(asked)
  if (wanted >= number || wanted + BLOCK_HASHES < number) return gas
  const hash = hashOf(wanted)
  if (hash !== undefined) putBytes32(sp, hash)
  return gas
}

/** EIP-4844. */
const blobHash: Operation = (frame, sp, gas) => {
  const hash = frame.context.blobHashes[num[sp]!]
  if (hash === undefined) num[sp] = 0
  else putBytes32(sp, hash)
  return gas
}

export const BLOCK: Readonly<Record<number, Operation>> = { 0x40: blockHash, 0x49: blobHash }
