import { describe, expect, test } from 'bun:test'
import { withChecksum } from '../../../core/store/checksum.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { type ResponseCache, withDataCentreCache } from '../../../runtime/workers/dataCentreCache.ts'
import { sharedMemory } from '../../support/stores/replica.ts'

const PREFIX = 'aaaaaaaaaaaaaaaa/'
const KEY = 'segment:9'
const RIGHT = withChecksum(KEY, new Uint8Array(100).fill(1))
const FORGED = withChecksum(KEY, new Uint8Array(100).fill(2))
const DAMAGED = RIGHT.map((byte, at) => (at === 50 ? byte ^ 0xff : byte))

/** The cache of a data centre. */
const createCache = (): ResponseCache & { readonly addresses: () => readonly string[] } => {
  const kept = new Map<string, Uint8Array>()
  const addressOf = (request: unknown): string => String(request)
  return {
    match: async request => {
      const found = kept.get(addressOf(request))
      return found === undefined ? undefined : new Response(new Uint8Array(found))
    },
    put: async (request, response) =>
      void kept.set(addressOf(request), new Uint8Array(await response.arrayBuffer())),
    delete: async request => kept.delete(addressOf(request)),
    addresses: () => [...kept.keys()],
  }
}

const openBucket = (value: Uint8Array) => {
  const items = new Map([[PREFIX + KEY, value]])
  const cache = createCache()
  const reads: string[] = []
  const memory = sharedMemory(items)
  const bucket: KeyValueStore = { ...memory, get: key => (reads.push(key), memory.get(key)) }
  return {
    cache,
    reads,
    hold: (next: Uint8Array) => void items.set(PREFIX + KEY, next),
    /** One request that reads the value; `isWrong` where a proof then fails, after which it reads once more. */
    request: async (isWrong: (value: Uint8Array | undefined) => boolean = () => false) => {
      const kv = withDataCentreCache(bucket, { cache, prefix: PREFIX })
      let value = await kv.get(PREFIX + KEY)
      if (isWrong(value)) {
        await kv.forget?.()
        value = await kv.get(PREFIX + KEY)
      }
      await kv.close()
      return value
    },
  }
}

const isForged = (value: Uint8Array | undefined): boolean =>
  value !== undefined && Bun.deepEquals(value, FORGED)

describe('given the cache of a data centre before a bucket', () => {
  test('when a value was read and nothing failed, then the next request does not read the bucket', async () => {
    const { request, reads } = openBucket(RIGHT)
    expect(await request()).toEqual(RIGHT)
    expect(await request()).toEqual(RIGHT)
    expect(reads).toHaveLength(1)
  })

  test('when a value is damaged for a moment, then it is not kept, and the repaired one is read', async () => {
    const { request, hold, cache } = openBucket(DAMAGED)
    expect(await request()).toEqual(DAMAGED)
    expect(cache.addresses()).toEqual([])
    hold(RIGHT)
    expect(await request()).toEqual(RIGHT)
  })

  test('when a value fails its proof, then it is not kept although its checksum is right', async () => {
    const { request, hold, cache } = openBucket(FORGED)
    expect(await request(isForged)).toEqual(FORGED)
    expect(cache.addresses()).toEqual([])
    hold(RIGHT)
    expect(await request(isForged)).toEqual(RIGHT)
  })

  test('when a kept value fails its proof, then it is deleted and read past the cache in the same request', async () => {
    const { request, hold, cache, reads } = openBucket(FORGED)
    await request()
    expect(cache.addresses()).toHaveLength(1)
    hold(RIGHT)
    expect(await request(isForged)).toEqual(RIGHT)
    expect(cache.addresses()).toEqual([])
    expect(reads).toHaveLength(2)
  })

  test('when a kept value is damaged in the cache, then it is deleted and read from the bucket', async () => {
    const { request, cache } = openBucket(RIGHT)
    await request()
    const [address] = cache.addresses()
    await cache.put(String(address), new Response(new Uint8Array(DAMAGED)))
    expect(await request()).toEqual(RIGHT)
  })
})
