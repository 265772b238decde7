/** One element of DER (X.690): its tag, and its content. */
export type DerElement = { readonly tag: number; readonly content: Uint8Array }

export const DER_INTEGER = 0x02
export const DER_BIT_STRING = 0x03
export const DER_OBJECT_IDENTIFIER = 0x06
export const DER_SEQUENCE = 0x30

/** Longest length field: keys have some kilobytes at most. */
const LENGTH_BYTES_MAX = 3

/** The consecutive elements of the bytes, without nested ones; undefined where the bytes are not DER. */
export const derElements = (bytes: Uint8Array): readonly DerElement[] | undefined => {
  const elements: DerElement[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = bytes[at] as number
    let length = bytes[at + 1]
    if (length === undefined) return undefined
    at += 2
    if (length >= 0x80) {
      const lengthBytes = length - 0x80
      if (lengthBytes === 0 || lengthBytes > LENGTH_BYTES_MAX || at + lengthBytes > bytes.length)
        return undefined
      length = bytes.subarray(at, at + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0)
      at += lengthBytes
    }
    if (at + length > bytes.length) return undefined
    elements.push({ tag, content: bytes.subarray(at, at + length) })
    at += length
  }
  return elements
}

/** The elements of a sequence that spans all the bytes; undefined where there is none. */
export const derSequence = (bytes: Uint8Array): readonly DerElement[] | undefined => {
  const elements = derElements(bytes)
  const [only] = elements ?? []
  return elements?.length === 1 && only?.tag === DER_SEQUENCE ? derElements(only.content) : undefined
}

/** An object identifier in dots, such as 1.2.840.113549.1.1.1. */
export const oidText = (content: Uint8Array): string => {
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = 0
  }
  const first = Math.min(2, Math.floor((arcs[0] ?? 0) / 40))
  return [first, (arcs[0] ?? 0) - first * 40, ...arcs.slice(1)].join('.')
}
