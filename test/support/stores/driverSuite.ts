import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { seededRandom } from '../random.ts'
import { sampleChain } from '../chains/sampleChain.ts'
import { expectChain } from './storeCheck.ts'

/** A place for one test: opened, closed and opened again it has the same values, where the driver keeps any. */
export type DriverPlace = {
  open(): Promise<KeyValueStore>
  remove(): Promise<void>
}

const chain = sampleChain({ seed: 61, blocks: 40, accounts: 6, slots: 2, changesMax: 3, transactionsMax: 3 })

/** The keys of every kind that the chain store writes. */
const KEYS = [
  'segment:0',
  'segment:7',
  'segment:4294967296',
  'part:7:0',
  'part:7:12',
  'part:4294967295:3',
  'header:0',
  'header:12',
  'mark:0',
  'mark:00',
  'intent',
  'journal:3',
  `a:${'0f'.repeat(20)}`,
  `a:${'0f'.repeat(19)}0`,
  `s:${'ab'.repeat(20)}${'00'.repeat(8)}${'12'.repeat(32)}`,
  `h:${'ab'.repeat(20)}0000000000`,
  'n:an',
  'n:an0',
  'n:an00',
  'n:an0123456789abcdef0',
  'n:an0123456789abcdef00',
  `n:s${'ab'.repeat(20)}.5n0a`,
  `t:${'9'.repeat(64)}`,
]

/** What every driver must do to carry a chain; `keeps` tells that values outlive the process. */
export const testDriver = (
  name: string,
  { place, keeps }: { readonly place: () => Promise<DriverPlace>; readonly keeps: boolean },
): void => {
  describe(`given the storage driver ${name}`, () => {
    const places: DriverPlace[] = []
    const stores: KeyValueStore[] = []
    const newPlace = async (): Promise<DriverPlace> => {
      const made = await place()
      places.push(made)
      return made
    }
    const open = async (at: DriverPlace): Promise<KeyValueStore> => {
      const store = await at.open()
      stores.push(store)
      return store
    }
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close()
      for (const made of places.splice(0)) await made.remove()
    })

    test('when values are written, then each key has its bytes, and other keys have none', async () => {
      const kv = await open(await newPlace())
      const random = seededRandom(1)
      const entries = KEYS.map(key => ({ key, value: random.bytes(1 + random.below(300)) }))
      await kv.set(entries)
      for (const { key, value } of entries) {
        expect(await kv.get(key)).toEqual(value)
        if (kv.getSync !== undefined) expect(kv.getSync(key)).toEqual(value)
      }
      for (const key of ['segment:1', 'segment:00', 'header:7', 'n:an1', `a:${'0f'.repeat(19)}`])
        expect(await kv.get(key)).toBeUndefined()
    })

    test('when a value is read, then it is a plain byte array', async () => {
      const kv = await open(await newPlace())
      const value = Uint8Array.of(1, 2, 3)
      await kv.set([{ key: 'mark:0', value }])
      const read = await kv.get('mark:0')
      expect(read?.constructor).toBe(Uint8Array)
      expect(read).toEqual(Uint8Array.of(1, 2, 3))
    })

    test('when values are written again or removed, then reads say so', async () => {
      const kv = await open(await newPlace())
      for (const key of KEYS) {
        await kv.set([{ key, value: Uint8Array.of(1) }])
        await kv.set([{ key, value: Uint8Array.of(2, 2) }])
        expect(await kv.get(key)).toEqual(Uint8Array.of(2, 2))
        await kv.set([{ key, value: undefined }])
        expect(await kv.get(key)).toBeUndefined()
      }
    })

    test('when values have no bytes or megabytes, then they are stored', async () => {
      const kv = await open(await newPlace())
      const large = new Uint8Array(3_000_000).map((_, index) => index * 31)
      for (const key of ['segment:5', 'c:aa']) {
        await kv.setDurably({ key, value: large })
        expect(await kv.get(key)).toEqual(large)
        await kv.set([{ key, value: new Uint8Array(0) }])
        expect(await kv.get(key)).toEqual(new Uint8Array(0))
      }
    })

    test('when thousands of entries are written at once, then all are stored', async () => {
      const kv = await open(await newPlace())
      const random = seededRandom(2)
      const entries = Array.from({ length: 2000 }, (_, index) => ({
        key: `a:${index.toString(16).padStart(40, '0')}`,
        value: random.bytes(60),
      }))
      await kv.set(entries)
      await kv.sync()
      for (const { key, value } of entries) expect(await kv.get(key)).toEqual(value)
    })

    test('when a chain is stored in it, then the chain reads the same', async () => {
      const at = await newPlace()
      const store = await openChainStore(await open(at), { flushBlocks: 6 })
      for (const commit of chain.commits.slice(0, 38)) await store.commit(commit)
      await expectChain(store, chain, 37)
      await store.close()
      if (!keeps) return
      const again = await openChainStore(await open(at), { flushBlocks: 6 })
      await expectChain(again, chain, 37)
      for (const commit of chain.commits.slice(38)) await again.commit(commit)
      await again.flush()
      await expectChain(again, chain, 39)
    })

    if (keeps)
      test('when it is opened again, then it has everything', async () => {
        const at = await newPlace()
        const kv = await open(at)
        await kv.set(KEYS.map((key, index) => ({ key, value: Uint8Array.of(index) })))
        await kv.sync()
        await kv.close()
        const again = await open(at)
        for (const [index, key] of KEYS.entries()) expect(await again.get(key)).toEqual(Uint8Array.of(index))
      })
  })
}

/** What a driver of a shared store must do besides: batches of reads, and writes under a condition. */
export const testConditionalWrites = (name: string, open: () => Promise<KeyValueStore>): void => {
  describe(`shared storage ${name}`, () => {
    let kv: KeyValueStore
    beforeEach(async () => {
      kv = await open()
    })
    afterEach(() => kv.close())
    const value = (byte: number) => Uint8Array.of(byte, byte)
    const setIf = (expected: Uint8Array | undefined, entries: Parameters<KeyValueStore['set']>[0]) =>
      kv.setIf?.({ key: 'replica', value: expected }, entries) ??
      Promise.reject(new Error('there is no setIf'))

    test('given keys with and without values, then one read gives each in order', async () => {
      await kv.set([
        { key: 'a:1', value: value(1) },
        { key: 'a:3', value: value(3) },
      ])
      expect(await kv.getMany?.(['a:3', 'a:2', 'a:1', 'a:3'])).toEqual([
        value(3),
        undefined,
        value(1),
        value(3),
      ])
      const many = Array.from({ length: 2_500 }, (_, index) => `a:${index}`)
      const values = await kv.getMany?.(many)
      expect(values?.length).toBe(2_500)
      expect(values?.[3]).toEqual(value(3))
    })

    test('given the expected value, then a batch is written and removed as a whole', async () => {
      await kv.set([
        { key: 'replica', value: value(1) },
        { key: 'n:x', value: value(7) },
      ])
      const written = await setIf(value(1), [
        { key: 'n:x', value: undefined },
        { key: 'n:y', value: value(8) },
        { key: 'n:y', value: value(9) },
        { key: 'replica', value: value(2) },
      ])
      expect(written).toBe(true)
      expect(await kv.getMany?.(['replica', 'n:x', 'n:y'])).toEqual([value(2), undefined, value(9)])
    })

    test('given another value, then nothing is written', async () => {
      await kv.set([{ key: 'replica', value: value(1) }])
      expect(await setIf(value(2), [{ key: 'replica', value: value(3) }])).toBe(false)
      expect(await setIf(undefined, [{ key: 'replica', value: value(3) }])).toBe(false)
      expect(await kv.get('replica')).toEqual(value(1))
    })

    test('given no value where one is expected, or the other way, then the condition says so', async () => {
      expect(await setIf(value(1), [{ key: 'replica', value: value(2) }])).toBe(false)
      expect(await kv.get('replica')).toBeUndefined()
      const entries = [
        { key: 'replica', value: value(2) },
        { key: 'n:x', value: value(3) },
      ]
      expect(await setIf(undefined, entries)).toBe(true)
      expect(await kv.getMany?.(['replica', 'n:x'])).toEqual([value(2), value(3)])
    })

    test('given writers that all expect the same value, then one of them writes', async () => {
      await kv.set([{ key: 'replica', value: value(0) }])
      const writers = Array.from({ length: 8 }, (_, index) =>
        setIf(value(0), [
          { key: 'replica', value: value(index + 1) },
          { key: 'n:winner', value: value(index + 1) },
        ]),
      )
      const results = await Promise.all(writers)
      expect(results.filter(Boolean).length).toBe(1)
      const winner = value(results.indexOf(true) + 1)
      expect(await kv.getMany?.(['replica', 'n:winner'])).toEqual([winner, winner])
    })
  })
}
