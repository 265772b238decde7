const encoder = new TextEncoder()

/** `name:NUMBER` without leading zeros, up to what a JavaScript integer holds exactly. */
const SEQUENTIAL = /^([a-z]+):(0|[1-9]\d{0,14})$/

/** The name and number of a sequential key, undefined for any other. */
export const sequentialKey = (key: string): readonly [name: string, number: number] | undefined => {
  const match = SEQUENTIAL.exec(key)
  return match === null ? undefined : [match[1] as string, Number(match[2])]
}

/** From this many digits on a run of hex digits is packed. */
const PACKED_DIGITS_MIN = 8
const HEX_RUN = new RegExp(`[0-9a-f]{${PACKED_DIGITS_MIN},}`, 'g')
const EVEN = 1
const ODD = 2

const nibble = (code: number): number => (code < 58 ? code - 48 : code - 87)

/**
 * The key as bytes, its runs of hex digits packed two to a byte: an index of half the size. Injective: a packed run stands
 * behind a byte that no key contains (1 or 2, whether its length is even or odd) and its length in bytes.
 */
export const packKey = (key: string): Uint8Array => {
  const out = new Uint8Array(3 * key.length)
  let length = 0
  const text = (part: string): void => {
    length += encoder.encodeInto(part, out.subarray(length)).written
  }
  let from = 0
  HEX_RUN.lastIndex = 0
  for (let match = HEX_RUN.exec(key); match !== null; match = HEX_RUN.exec(key)) {
    if (match.index > from) text(key.slice(from, match.index))
    const digits = match[0].length
    const bytes = (digits + 1) >> 1
    from = match.index + digits
    out[length++] = digits % 2 === 0 ? EVEN : ODD
    if (bytes > 255)
      throw new RangeError(`a key has ${digits} hex digits in a row, 510 at most can be packed`)
    out[length++] = bytes
    for (let i = 0; i < bytes; i++) {
      const high = nibble(key.charCodeAt(match.index + 2 * i))
      const low = 2 * i + 1 < digits ? nibble(key.charCodeAt(match.index + 2 * i + 1)) : 0
      out[length++] = (high << 4) | low
    }
  }
  if (from < key.length) text(key.slice(from))
  return out.subarray(0, length)
}

const decoder = new TextDecoder()

/** The key that `packKey` gave these bytes for. */
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
