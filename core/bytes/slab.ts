/**
 * Allocates parts of shared buffers. Thousands of separate small buffers cost the runtime more than their contents (V8
 * keeps all but the smallest outside its heap, each freed separately). A part keeps its whole slab alive: for values of the
 * same lifetime, not for long-lived ones.
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
