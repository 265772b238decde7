import { concatBytes } from '../../bytes/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import type { Leaf } from './node.ts'

/** The end of the RLP of every account without storage and code: 66 bytes that are not stored. */
export const EMPTY_TAIL: Uint8Array = concatBytes(
  Uint8Array.of(0xa0),
  EMPTY_TRIE_ROOT,
  Uint8Array.of(0xa0),
  EMPTY_CODE_HASH,
)

const endsWithEmptyTail = (value: Uint8Array): boolean => {
  const start = value.length - EMPTY_TAIL.length
  if (start < 0) return false
  // Compares from the end, because other values usually differ in the last byte.
  for (let i = EMPTY_TAIL.length - 1; i >= 0; i--) if (value[start + i] !== EMPTY_TAIL[i]) return false
  return true
}

export const leafOf = (key: Uint8Array, value: Uint8Array, reference?: Uint8Array): Leaf => ({
  kind: 'leaf',
  key,
  value,
  ownLength: value.length - (endsWithEmptyTail(value) ? EMPTY_TAIL.length : 0),
  reference,
})
