/** Many byte strings in one buffer, which is transferred to the other thread instead of copied. */
export type JoinedBytes = { readonly bytes: Uint8Array<ArrayBuffer>; readonly lengths: readonly number[] }

export const joinList = (list: readonly Uint8Array[]): JoinedBytes => {
  const lengths = list.map(({ length }) => length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const item of list) {
    bytes.set(item, at)
    at += item.length
  }
  return { bytes, lengths }
}

export const splitList = ({ bytes, lengths }: JoinedBytes): readonly Uint8Array[] => {
  let at = 0
  return lengths.map(length => bytes.subarray(at, (at += length)))
}

/** A copy to transfer: a view would transfer all of its buffer. */
export const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)
