import type { KeyValueStore } from './keyvalue.ts'

/** Keys collected or sorted between two pauses: less than a millisecond. */
const STEP_KEYS = 1_024

/** Samples per part that determine its bounds: more samples make the parts more equal. */
const SAMPLES = 8

/** Keys that divide all keys into about `parts` parts of similar size, in order; chosen from a sample. */
const pivotsOf = (keys: readonly string[], parts: number): readonly string[] => {
  const step = Math.max(1, Math.floor(keys.length / (parts * SAMPLES)))
  const sample = keys.filter((_, index) => index % step === 0).sort()
  return sample.filter((_, index) => index % SAMPLES === SAMPLES - 1)
}

/** The number of pivots before or equal to the key. */
const partOf = (pivots: readonly string[], key: string): number => {
  let low = 0
  let high = pivots.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pivots[middle] as string) <= key) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The keys in order. Pauses, because sorting tens of thousands without a pause would block other work; no keys may be added
 * during the pauses.
 */
export const sortedKeys = async (
  { pause }: Pick<KeyValueStore, 'pause'>,
  unsorted: Iterable<string>,
): Promise<readonly string[]> => {
  const keys: string[] = []
  for (const key of unsorted) if (keys.push(key) % STEP_KEYS === 0) await pause()
  if (keys.length <= STEP_KEYS) return keys.sort()
  const pivots = pivotsOf(keys, Math.ceil((2 * keys.length) / STEP_KEYS))
  const parts: string[][] = Array.from({ length: pivots.length + 1 }, () => [])
  for (const [index, key] of keys.entries()) {
    parts[partOf(pivots, key)]?.push(key)
    if (index % STEP_KEYS === STEP_KEYS - 1) await pause()
  }
  const sorted: string[] = []
  for (const part of parts) {
    for (const key of part.sort()) sorted.push(key)
    await pause()
  }
  return sorted
}
