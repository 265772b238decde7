/** Hex digit of each nibble. */
export const HEX_DIGITS = '0123456789abcdef'

/** The nibble at that position of the key; the high nibble of each byte comes first. */
export const nibbleAt = (key: Uint8Array, position: number): number => {
  const byte = key[position >> 1] as number
  return (position & 1) === 0 ? byte >> 4 : byte & 15
}

/** The number of nibbles that two keys share from position `depth` on. */
export const sharedNibbles = (a: Uint8Array, b: Uint8Array, depth: number): number => {
  const end = 2 * Math.min(a.length, b.length)
  let position = depth
  while (position < end && nibbleAt(a, position) === nibbleAt(b, position)) position++
  return position - depth
}

/** The number of nibbles of `prefix` that the key matches from position `depth` on. */
export const followedNibbles = (key: Uint8Array, depth: number, prefix: Uint8Array): number => {
  const end = Math.min(prefix.length, 2 * key.length - depth)
  let count = 0
  while (count < end && nibbleAt(key, depth + count) === prefix[count]) count++
  return count
}

/** `count` nibbles of the key from position `depth` on, one per byte. */
export const nibblesOf = (key: Uint8Array, depth: number, count: number): Uint8Array => {
  const nibbles = new Uint8Array(count)
  for (let i = 0; i < count; i++) nibbles[i] = nibbleAt(key, depth + i)
  return nibbles
}

/** The first `depth` nibbles of the key as hex digits. */
export const pathOf = (key: Uint8Array, depth: number): string => {
  let path = ''
  for (let i = 0; i < depth; i++) path += HEX_DIGITS[nibbleAt(key, i)] as string
  return path
}
