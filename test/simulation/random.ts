/** A stream of numbers that look random and are the same in every run with the same seed. */
export type Random = {
  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  shuffled<Item>(items: readonly Item[]): Item[]
  bytes(length: number): Uint8Array
  /** Another stream, which goes its own way however much is taken from this one. */
  fork(name: string): Random
}

const hashOf = (seed: number, name: string): number => {
  let hash = seed ^ 0x9e37_79b9
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x0100_0193)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) >>> 0
}

/** mulberry32. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const word = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number): number => word() % limit
  const random: Random = {
    below,
    between: (min, max) => min + below(max - min + 1),
    chance: probability => word() < probability * 0x1_0000_0000,
    pick: items => {
      if (items.length === 0) throw new RangeError('nothing to pick from')
      return items[below(items.length)] as (typeof items)[number]
    },
    shuffled: items => {
      const mixed = [...items]
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = below(last + 1)
        const kept = mixed[last] as (typeof mixed)[number]
        mixed[last] = mixed[other] as (typeof mixed)[number]
        mixed[other] = kept
      }
      return mixed
    },
    bytes: length => Uint8Array.from({ length }, () => below(256)),
    fork: name => createRandom(hashOf(seed, name)),
  }
  return random
}
