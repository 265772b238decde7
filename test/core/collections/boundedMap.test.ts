import { describe, expect, test } from 'bun:test'
import { evictOldest, setBounded } from '../../../core/collections/boundedMap.ts'

describe('given a map of at most two entries', () => {
  test('when a third is set, then the oldest is removed', () => {
    const map = new Map([
      ['a', 1],
      ['b', 2],
    ])
    setBounded(map, 'c', 3, 2)
    expect([...map.keys()]).toEqual(['b', 'c'])
  })

  test('when the oldest is set again, then it is the newest', () => {
    const map = new Map([
      ['a', 1],
      ['b', 2],
    ])
    setBounded(map, 'a', 3, 2)
    setBounded(map, 'c', 4, 2)
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ])
  })
})

test('given a set above its limit, when the oldest are evicted, then the newest stay in order', () => {
  const set = new Set([1, 2, 3, 4])
  evictOldest(set, 2)
  expect([...set]).toEqual([3, 4])
})
