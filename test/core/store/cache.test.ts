import { describe, expect, test } from 'bun:test'
import { createCache } from '../../../core/store/cache.ts'
import { seededRandom } from '../../support/random.ts'

describe('given a cache', () => {
  test('when it is full, then it keeps what is used', () => {
    const cache = createCache<Uint8Array>(100_000, value => value.length)
    const random = seededRandom(3)
    cache.set('hot', new Uint8Array(10))
    for (let i = 0; i < 5000; i++) {
      cache.set(`cold ${i}`, new Uint8Array(random.below(500)))
      expect(cache.get('hot')).toBeDefined()
      expect(cache.bytes).toBeLessThanOrEqual(100_000 + 700)
    }
    expect(cache.get('cold 0')).toBeUndefined()
    expect(cache.get('cold 4999')).toBeDefined()
  })

  test('when a value is read, then it is the last one set, or undefined', () => {
    const cache = createCache<number>(20_000, () => 1)
    const model = new Map<string, number>()
    const random = seededRandom(8)
    for (let i = 0; i < 20_000; i++) {
      const key = `key ${random.below(150)}`
      const choice = random.below(3)
      if (choice === 0) {
        cache.set(key, i)
        model.set(key, i)
      } else if (choice === 1 && random.below(4) === 0) {
        cache.delete(key)
        model.delete(key)
        expect(cache.get(key)).toBeUndefined()
      } else {
        const found = cache.get(key)
        if (found !== undefined) expect(found).toBe(model.get(key) as number)
      }
    }
  })

  test('when values are deleted, then it counts what remains', () => {
    const cache = createCache<Uint8Array>(50_000, value => value.length)
    for (let i = 0; i < 300; i++) cache.set(`k${i % 70}`, new Uint8Array(i))
    for (let i = 0; i < 70; i++) cache.delete(`k${i}`)
    expect(cache.bytes).toBe(0)
  })
})
