let seed = 0x5bd1e995

/**
 * Seeds the hash tables of this process, so that an attacker cannot choose addresses or slots that all collide. Entry
 * points pass a random 32-bit integer once; results do not depend on it.
 */
export const useTableSeed = (random: number): void => {
  seed = random | 0
}

/** Mixes address limbs into a table index; every bit of each limb counts. */
export const hashOf5 = (a: number, b: number, c: number, d: number, e: number): number => {
  let hash = Math.imul(a ^ seed, 0x9e3779b1)
  hash = Math.imul((hash ^ (hash >>> 15)) + b, 0x85ebca6b)
  hash = Math.imul((hash ^ (hash >>> 13)) + c, 0xc2b2ae35)
  hash = Math.imul((hash ^ (hash >>> 16)) + d, 0x27d4eb2f)
  hash = Math.imul((hash ^ (hash >>> 15)) + e, 0x165667b1)
  return hash ^ (hash >>> 14)
}
