import { describe, expect, test } from 'bun:test'
import { createHeap, type HeapItem, NOT_IN_HEAP } from '../../../core/txpool/heap.ts'
import { seededRandom } from './fixtures.ts'

type Item = HeapItem & { value: number }

const item = (value: number): Item => ({ value, heapIndex: NOT_IN_HEAP })
const smaller = (a: Item, b: Item): boolean => a.value < b.value

describe('given a heap', () => {
  test('when items are there at first or come later, then it gives them in order', () => {
    const heap = createHeap(smaller, [5, 3, 9, 1].map(item))
    for (const value of [4, 0, 7]) heap.push(item(value))
    const order: number[] = []
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) order.push(next.value)
    expect(order).toEqual([0, 1, 3, 4, 5, 7, 9])
    expect(heap.peek()).toBeUndefined()
  })

  test('when random changes and removals occur, then it keeps the order', () => {
    const random = seededRandom(7)
    const items = Array.from({ length: 300 }, () => item(Math.floor(random() * 1000)))
    const heap = createHeap(smaller)
    for (const one of items) heap.push(one)
    for (let round = 0; round < 2000; round++) {
      const one = items[Math.floor(random() * items.length)] as Item
      if (one.heapIndex === NOT_IN_HEAP) heap.push(one)
      else if (random() < 0.2) heap.remove(one)
      else {
        one.value = Math.floor(random() * 1000)
        heap.moved(one)
      }
    }
    const left = items.filter(one => one.heapIndex !== NOT_IN_HEAP).map(one => one.value)
    const order: number[] = []
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) order.push(next.value)
    expect(order).toEqual(left.sort((a, b) => a - b))
  })
})
