import type { Tuple } from './network.ts'

/** Global states as tuples of 32-bit numbers, in the order in which they were found, without an object for any of them. */
export type Table = {
  /** True when the tuple is new. */
  add(tuple: Tuple, parent: number): boolean
  read(index: number, tuple: Tuple): void
  /** The index from which the tuple was found first; -1 for the first one. */
  parent(index: number): number
  size(): number
  bytes(): number
}

type Arrays = { readonly tuples: Int32Array; readonly parents: Int32Array; readonly slots: Int32Array }

const FIRST_CAPACITY = 1 << 14

const hashOf = (tuple: Int32Array, start: number, width: number): number => {
  let hash = 0
  for (let i = 0; i < width; i++) {
    hash = Math.imul(hash ^ (tuple[start + i] as number), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash
}

/** The arrays with twice the capacity. */
const grown = ({ tuples, parents }: Arrays, width: number, size: number): Arrays => {
  const wider = new Int32Array(tuples.length * 2)
  wider.set(tuples)
  const more = new Int32Array(parents.length * 2)
  more.set(parents)
  const slots = new Int32Array(more.length * 2).fill(-1)
  for (let index = 0; index < size; index++) {
    let slot = hashOf(wider, index * width, width) & (slots.length - 1)
    while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = index
  }
  return { tuples: wider, parents: more, slots }
}

export const createTable = (width: number): Table => {
  let arrays: Arrays = {
    tuples: new Int32Array(FIRST_CAPACITY * width),
    parents: new Int32Array(FIRST_CAPACITY),
    slots: new Int32Array(FIRST_CAPACITY * 2).fill(-1),
  }
  let size = 0
  const isAt = (index: number, tuple: Int32Array): boolean => {
    for (let i = 0; i < width; i++) if (arrays.tuples[index * width + i] !== tuple[i]) return false
    return true
  }
  return {
    add: (tuple, parent) => {
      const { slots } = arrays
      let slot = hashOf(tuple, 0, width) & (slots.length - 1)
      for (; slots[slot] !== -1; slot = (slot + 1) & (slots.length - 1))
        if (isAt(slots[slot] as number, tuple)) return false
      slots[slot] = size
      arrays.tuples.set(tuple, size * width)
      arrays.parents[size] = parent
      size++
      if (size === arrays.parents.length) arrays = grown(arrays, width, size)
      return true
    },
    read: (index, tuple) => {
      for (let i = 0; i < width; i++) tuple[i] = arrays.tuples[index * width + i] as number
    },
    parent: index => arrays.parents[index] as number,
    size: () => size,
    bytes: () => arrays.tuples.byteLength + arrays.parents.byteLength + arrays.slots.byteLength,
  }
}
