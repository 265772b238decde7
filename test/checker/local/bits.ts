/** A set of small numbers. Sets of different lengths mix; what lies beyond the end is not in it. */
export type Bits = Uint32Array

export const noBits: Bits = new Uint32Array(0)

export const bitsOf = (numbers: Iterable<number>): Bits => {
  const list = [...numbers]
  const bits = new Uint32Array((Math.max(-1, ...list) >> 5) + 1)
  for (const number of list) bits[number >> 5] = (bits[number >> 5] as number) | (1 << (number & 31))
  return bits
}

/** An empty set with room for numbers up to this one. */
export const bitsUpTo = (number: number): Bits => new Uint32Array((number >> 5) + 1)

export const hasBit = (bits: Bits, number: number): boolean =>
  (((bits[number >> 5] ?? 0) >>> (number & 31)) & 1) === 1

/** The set with the number; the same array when it has room. */
export const withBit = (bits: Bits, number: number): Bits => {
  const word = number >> 5
  const wide = word < bits.length ? bits : new Uint32Array(word + 2)
  if (wide !== bits) wide.set(bits)
  wide[word] = (wide[word] as number) | (1 << (number & 31))
  return wide
}

/** Adds the numbers of `other` to `bits`, which must be at least as long. */
export const addBits = (bits: Bits, other: Bits): void => {
  for (let word = 0; word < other.length; word++)
    bits[word] = (bits[word] as number) | (other[word] as number)
}

/** Calls `visit` with each number in the word at this place. */
export const eachInWord = (word: number, place: number, visit: (number: number) => void): void => {
  for (let rest = word; rest !== 0; rest &= rest - 1) visit((place << 5) + 31 - Math.clz32(rest & -rest))
}

export const eachBit = (bits: Bits, visit: (number: number) => void): void => {
  for (let place = 0; place < bits.length; place++) eachInWord(bits[place] as number, place, visit)
}
