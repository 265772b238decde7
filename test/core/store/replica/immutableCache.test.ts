import { describe, expect, test } from 'bun:test'
import { withChecksum } from '../../../../core/store/checksum.ts'
import { withImmutableCache } from '../../../../core/store/replica/immutableCache.ts'
import { sharedMemory } from '../../../support/stores/replica.ts'

const VALUE_BYTES = 1_000

/** A store with values, and the keys that were read from it. */
const openStore = (keys: readonly string[], bytesMax = 1_000_000) => {
  const items = new Map(keys.map(key => [key, withChecksum(key, new Uint8Array(VALUE_BYTES))]))
  const kv = sharedMemory(items)
  const read: string[] = []
  const getMany = kv.getMany as NonNullable<typeof kv.getMany>
  const counted = {
    ...kv,
    get: (key: string) => (read.push(key), kv.get(key)),
    getMany: (some: readonly string[]) => (read.push(...some), getMany(some)),
  }
  return { items, read, cached: withImmutableCache(counted, { bytesMax }) }
}

describe('given a cache of values that never change', () => {
  test('when one is read again, alone or among others, then it is not read from the store', async () => {
    const { cached, read } = openStore(['segment:1', 'segment:2'])
    const first = await cached.get('segment:1')
    expect(await cached.get('segment:1')).toEqual(first)
    const both = await cached.getMany?.(['segment:1', 'segment:2'])
    expect(both?.map(value => value?.length)).toEqual([first?.length, first?.length])
    expect(read).toEqual(['segment:1', 'segment:2'])
  })

  test('when state or the head is read again, then it is read from the store', async () => {
    const { cached, read } = openStore(['replica', 'a:00', 's:00', 'n:00'])
    for (const key of ['replica', 'a:00', 's:00', 'n:00', 'replica', 'a:00', 's:00', 'n:00'])
      await cached.get(key)
    expect(read).toHaveLength(8)
  })

  test('when a value is damaged or absent, then it is read again', async () => {
    const { cached, items, read } = openStore(['c:00'])
    const value = items.get('c:00') as Uint8Array
    items.set(
      'c:00',
      value.map(byte => byte ^ 1),
    )
    await cached.get('c:00')
    expect(await cached.get('segment:9')).toBeUndefined()
    items.set('c:00', value)
    items.set('segment:9', withChecksum('segment:9', new Uint8Array(1)))
    expect(await cached.get('c:00')).toEqual(value)
    expect(await cached.get('segment:9')).toBeDefined()
    expect(read).toEqual(['c:00', 'segment:9', 'c:00', 'segment:9'])
  })

  test('when more is read than it may take, then values are kept up to its limit, the last ones first', async () => {
    const keys = Array.from({ length: 100 }, (_, number) => `segment:${number}`)
    const { cached, read } = openStore(keys, 20 * VALUE_BYTES)
    for (const key of keys) await cached.get(key)
    read.length = 0
    for (const key of keys.toReversed()) await cached.get(key)
    expect(read.length).toBeGreaterThanOrEqual(80)
    expect(read).not.toContain('segment:99')
  })
})
