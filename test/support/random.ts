/** Bytes and integers that look random and are the same in every run: a seeded xorshift generator. */
export const seededRandom = (seed: number) => {
  let state = seed | 0 || 1
  const word = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const below = (limit: number): number => word() % limit
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => word() >>> 24)
  return { word, below, bytes }
}
