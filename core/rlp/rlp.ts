import { RLP } from 'micro-eth-signer/core/rlp.js'
import { bytesToBigint } from '../bytes/integer.ts'

/** The decoded form: a byte string, or a list of items. Byte strings are views of the input. */
export type RlpItem = Uint8Array | RlpItem[]

/** Values that can be encoded. Integers are scalars: minimal big-endian, zero as the empty string. */
export type RlpInput = Uint8Array | bigint | number | readonly RlpInput[]

/** Maximum nesting of lists: nothing in the protocol nests deeper, and decoding recurses. */
export const RLP_DEPTH_MAX = 32

/** Canonical RLP of the value (Yellow Paper appendix B). */
export const encodeRlp = (value: RlpInput): Uint8Array =>
  RLP.encode(value as Parameters<typeof RLP.encode>[0])

const depthWithinLimit = (item: RlpItem, depth: number): boolean => {
  if (item instanceof Uint8Array) return true
  if (depth === 0) return false
  for (const child of item) if (!depthWithinLimit(child, depth - 1)) return false
  return true
}

/**
 * Decodes exactly one item; byte strings are views of `bytes`.
 * @throws RlpError when the bytes are not canonical RLP, have trailing bytes, or nest deeper than RLP_DEPTH_MAX.
 */
export const decodeRlp = (bytes: Uint8Array): RlpItem => {
  let item: RlpItem
  try {
    item = RLP.decode(bytes) as RlpItem
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^RLP\.decode: /, '') : String(cause)
    throw new RlpError(`bad RLP: ${reason}`)
  }
  if (!depthWithinLimit(item, RLP_DEPTH_MAX)) throw new RlpError(`lists nest deeper than ${RLP_DEPTH_MAX}`)
  return item
}

/** The item as a list. @throws RlpError when it is a byte string. */
export const rlpList = (item: RlpItem | undefined, what: string): RlpItem[] => {
  if (item === undefined || item instanceof Uint8Array) throw new RlpError(`${what} must be a list`)
  return item
}

/** The item as a byte string, of `length` bytes if given. @throws RlpError otherwise. */
export const rlpBytes = (item: RlpItem | undefined, what: string, length?: number): Uint8Array => {
  if (!(item instanceof Uint8Array)) throw new RlpError(`${what} must be a byte string`)
  if (length !== undefined && item.length !== length)
    throw new RlpError(`${what} must have ${length} bytes, not ${item.length}`)
  return item
}

/** The item as an unsigned scalar of at most `bytesMax` bytes. @throws RlpError on leading zeros or a longer one. */
export const rlpScalar = (item: RlpItem | undefined, what: string, bytesMax = 32): bigint => {
  const bytes = rlpBytes(item, what)
  if (bytes.length > bytesMax) throw new RlpError(`${what} is longer than ${bytesMax} bytes`)
  if (bytes[0] === 0) throw new RlpError(`${what} has leading zeros`)
  return bytesToBigint(bytes)
}

export class RlpError extends Error {
  override readonly name = 'RlpError'
  readonly code = 'INVALID_RLP'
}
