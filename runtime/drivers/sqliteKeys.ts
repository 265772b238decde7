const isHex = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 97 && code <= 102)
const nibble = (code: number): number => (code < 58 ? code - 48 : code - 87)

/** Maximum decimal digits of a number that JavaScript represents exactly. */
const NUMBER_DIGITS_MAX = 15

/**
 * The number of a key that is `name` (with its colon) and a decimal number without leading zeros; undefined for any other.
 */
export const sequentialNumber = (key: string, name: string): number | undefined => {
  const digits = key.length - name.length
  if (digits < 1 || digits > NUMBER_DIGITS_MAX || !key.startsWith(name)) return undefined
  if (digits > 1 && key.charCodeAt(name.length) === 48) return undefined
  let number = 0
  for (let i = name.length; i < key.length; i++) {
    const digit = key.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return number
}

/** Parts of a number that have ids of their own. */
const PARTS_MAX = 2 ** 20
/** Maximum number of a part's owner: both together are exact. */
const PART_OWNER_MAX = 2 ** 32

/**
 * The id of a key that is `name`, a decimal number below 2^32, a colon and the decimal index of a part below 2^20, so that the
 * parts of a number follow each other; undefined for any other key.
 */
export const partNumber = (key: string, name: string): number | undefined => {
  const colon = key.indexOf(':', name.length)
  if (colon < 0) return undefined
  const owner = sequentialNumber(key.slice(0, colon), name)
  const index = sequentialNumber(key.slice(colon), ':')
  if (owner === undefined || index === undefined || owner >= PART_OWNER_MAX || index >= PARTS_MAX)
    return undefined
  return owner * PARTS_MAX + index
}

/** The inverse of `partNumber`. */
export const keyOfPart = (id: number, name: string): string =>
  `${name}${Math.floor(id / PARTS_MAX)}:${id % PARTS_MAX}`

/** Maximum hex digits of a path that a number represents exactly together with their count. */
const PATH_DIGITS_MAX = 12
const PATH_COUNT = 16

/**
 * The number of a key that is `name` and a path of at most twelve hex digits, so that paths come in their own order, each
 * before those below it; undefined for any other key.
 */
export const pathNumber = (key: string, name: string): number | undefined => {
  const digits = key.length - name.length
  if (digits < 0 || digits > PATH_DIGITS_MAX || !key.startsWith(name)) return undefined
  let number = 0
  for (let i = name.length; i < key.length; i++) {
    const code = key.charCodeAt(i)
    if (!isHex(code)) return undefined
    number = number * 16 + nibble(code)
  }
  return number * 16 ** (PATH_DIGITS_MAX - digits) * PATH_COUNT + digits
}

/** The inverse of `pathNumber`. */
export const pathOfNumber = (number: number): string =>
  Math.floor(number / PATH_COUNT)
    .toString(16)
    .padStart(PATH_DIGITS_MAX, '0')
    .slice(0, number % PATH_COUNT)

/** Minimum length of a run of hex digits that is packed. */
const PACKED_DIGITS_MIN = 8
/** Maximum length of a packed run, whose length in bytes fits into a byte. */
const PACKED_DIGITS_MAX = 508
const EVEN = 1
const ODD = 2

/** Maximum key length. The buffer is reused because a view of a small array costs more than a copy. */
const KEY_LENGTH_MAX = 1024
const buffer = new Uint8Array(3 * KEY_LENGTH_MAX)

/**
 * Encodes a key as bytes with runs of hex digits packed two to a byte, which halves the index. Injective: a packed run follows
 * a byte that no key contains (1 for an even, 2 for an odd length) and its length in bytes.
 */
export const packKey = (key: string): Uint8Array => {
  if (key.length > KEY_LENGTH_MAX) throw new RangeError(`a key of ${key.length} characters is too long`)
  let length = 0
  let at = 0
  while (at < key.length) {
    let end = at
    while (end < key.length && end - at < PACKED_DIGITS_MAX && isHex(key.charCodeAt(end))) end++
    const digits = end - at
    if (digits >= PACKED_DIGITS_MIN) {
      buffer[length++] = digits % 2 === 0 ? EVEN : ODD
      buffer[length++] = (digits + 1) >> 1
      for (; at < end; at += 2) {
        const low = at + 1 < end ? nibble(key.charCodeAt(at + 1)) : 0
        buffer[length++] = (nibble(key.charCodeAt(at)) << 4) | low
      }
      at = end
      continue
    }
    // Copies the digits, too few to pack, and the character after them.
    for (end = Math.min(end + 1, key.length); at < end; at++) {
      const code = key.charCodeAt(at)
      if (code < 32 || code > 126)
        throw new RangeError(`a key must be printable ASCII: ${JSON.stringify(key)}`)
      buffer[length++] = code
    }
  }
  return buffer.slice(0, length)
}

const decoder = new TextDecoder()

/** The inverse of `packKey`. */
export const unpackKey = (packed: Uint8Array): string => {
  let key = ''
  let from = 0
  for (let at = 0; at < packed.length; ) {
    const marker = packed[at]
    if (marker !== EVEN && marker !== ODD) {
      at++
      continue
    }
    key += decoder.decode(packed.subarray(from, at))
    const bytes = packed[at + 1] as number
    let digits = ''
    for (let i = 0; i < bytes; i++) digits += (packed[at + 2 + i] as number).toString(16).padStart(2, '0')
    key += marker === EVEN ? digits : digits.slice(0, -1)
    at += 2 + bytes
    from = at
  }
  return key + decoder.decode(packed.subarray(from))
}
