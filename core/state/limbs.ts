/** Words as eight 32-bit limbs in an Int32Array, least significant first. */

export const readLimbs = (bytes: Uint8Array, data: Int32Array, at: number): void => {
  for (let i = 0; i < 8; i++) data[at + i] = limbOf(bytes, 28 - 4 * i)
}

/** Writes a limb as four big-endian bytes. */
export const writeLimb = (bytes: Uint8Array, at: number, limb: number): void => {
  bytes[at] = limb >>> 24
  bytes[at + 1] = limb >>> 16
  bytes[at + 2] = limb >>> 8
  bytes[at + 3] = limb
}

/** 32 big-endian bytes of the word at `at`. */
export const limbsToBytes = (data: Int32Array, at: number): Uint8Array => {
  const bytes = new Uint8Array(32)
  for (let i = 0; i < 8; i++) writeLimb(bytes, 28 - 4 * i, data[at + i] as number)
  return bytes
}

/** Four big-endian bytes as a signed limb. */
export const limbOf = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number)

export const equalWords = (data: Int32Array, a: number, b: number): boolean => {
  for (let i = 0; i < 8; i++) if (data[a + i] !== data[b + i]) return false
  return true
}

export const isZeroWord = (data: Int32Array, at: number): boolean =>
  ((data[at] as number) |
    (data[at + 1] as number) |
    (data[at + 2] as number) |
    (data[at + 3] as number) |
    (data[at + 4] as number) |
    (data[at + 5] as number) |
    (data[at + 6] as number) |
    (data[at + 7] as number)) ===
  0

export const copyWord = (from: Int32Array, at: number, to: Int32Array, toAt: number): void => {
  to[toAt] = from[at] as number
  to[toAt + 1] = from[at + 1] as number
  to[toAt + 2] = from[at + 2] as number
  to[toAt + 3] = from[at + 3] as number
  to[toAt + 4] = from[at + 4] as number
  to[toAt + 5] = from[at + 5] as number
  to[toAt + 6] = from[at + 6] as number
  to[toAt + 7] = from[at + 7] as number
}
