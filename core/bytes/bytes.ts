/** A 20-byte account address. */
export type Address = Uint8Array
/** A 32-byte keccak-256 hash. */
export type Hash = Uint8Array

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0)
export const ZERO_ADDRESS: Address = new Uint8Array(20)
export const ZERO_HASH: Hash = new Uint8Array(32)

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** As `equalBytes`; two absent values are equal, too. */
export const equalOptionalBytes = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b)

/** Unsigned lexicographic order: negative when a comes first, zero when equal, positive when b comes first. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Joins any number of parts: a call has room for some ten thousand arguments only. */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  let length = 0
  for (const part of parts) length += part.length
  const joined = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

export const concatBytes = (...parts: readonly Uint8Array[]): Uint8Array => joinBytes(parts)

/** True when every byte is zero; also for no bytes at all. */
export const isZeroBytes = (bytes: Uint8Array): boolean => {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}

/** The bytes padded with zeros on the left to `length`; returns the input when it already has that length. */
export const padStartBytes = (bytes: Uint8Array, length: number): Uint8Array => {
  if (bytes.length === length) return bytes
  if (bytes.length > length) throw new RangeError(`${bytes.length} bytes do not fit into ${length}`)
  const padded = new Uint8Array(length)
  padded.set(bytes, length - bytes.length)
  return padded
}
