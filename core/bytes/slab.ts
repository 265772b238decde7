/**
 * Gives parts of buffers that many share. A buffer of its own for each of thousands of values costs the runtime more than
 * the value (V8 keeps all but the smallest outside its heap, where each must be freed one by one). What is given keeps
 * its whole slab from being freed: for values that go together, not for what is kept.
 */
export const createSlab = (slabLength: number): ((length: number) => Uint8Array) => {
  let slab = new Uint8Array(0)
  let used = 0
  return length => {
    if (length > slabLength) return new Uint8Array(length)
    if (slab.length - used < length) {
      slab = new Uint8Array(slabLength)
      used = 0
    }
    used += length
    return slab.subarray(used - length, used)
  }
}
