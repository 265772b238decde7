import { describe, expect, test } from 'bun:test'
import { createSlab } from '../../../core/bytes/slab.ts'

describe('given a slab', () => {
  test('when parts are taken, then they do not overlap, and another buffer follows when it is full', () => {
    const allocate = createSlab(10)
    const parts = [4, 6, 1, 10, 3].map(allocate)
    parts.forEach((part, index) => part.fill(index + 1))
    expect(parts.map(part => [part.length, ...new Set(part)])).toEqual([
      [4, 1],
      [6, 2],
      [1, 3],
      [10, 4],
      [3, 5],
    ])
    expect(parts[0]?.buffer).toBe(parts[1]?.buffer as ArrayBuffer)
    expect(parts[1]?.buffer).not.toBe(parts[2]?.buffer as ArrayBuffer)
  })

  test('when a part is longer than the slab, then it has its own buffer', () => {
    const allocate = createSlab(10)
    const before = allocate(2)
    const long = allocate(11)
    expect(long.length).toBe(11)
    expect(long.buffer.byteLength).toBe(11)
    expect(allocate(2).buffer).toBe(before.buffer as ArrayBuffer)
  })

  test('when a part is allocated, then all its bytes are zero', () => {
    const allocate = createSlab(8)
    allocate(3).fill(7)
    expect(allocate(5)).toEqual(new Uint8Array(5))
    expect(allocate(0).length).toBe(0)
  })
})
