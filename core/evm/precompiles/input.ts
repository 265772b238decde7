/** `length` bytes of the input from `start`, with zeros beyond the end, as in call data. */
export const inputRange = (input: Uint8Array, start: number, length: number): Uint8Array => {
  const end = start + length
  if (end <= input.length) return input.subarray(start, end)
  const padded = new Uint8Array(length)
  if (start < input.length) padded.set(input.subarray(start))
  return padded
}

/** The 32-byte word 1, which means true. */
export const trueWord = (): Uint8Array => {
  const word = new Uint8Array(32)
  word[31] = 1
  return word
}

export const wordCount = (input: Uint8Array): number => (input.length + 31) >>> 5
