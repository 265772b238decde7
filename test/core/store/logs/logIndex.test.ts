import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { LOG_SECTION_BLOCKS } from '../../../../core/store/limits.ts'
import type { LogQuery } from '../../../../core/store/logs/pattern.ts'
import type { BlockCommit } from '../../../../core/store/store.ts'
import {
  createFaultyDriver,
  type DiskOperation,
  type Image,
  imageAfterKill,
  imageAfterPowerCut,
} from '../../../support/stores/faultyDriver.ts'
import { logChain, numberedAddress } from '../../../support/chains/logChain.ts'
import { commitAll, found, naive, RARE, sampleBlocks, search } from '../../../support/chains/logSearch.ts'
import { seededRandom } from '../../../support/random.ts'
import { rejection } from '../../../support/rejection.ts'

setDefaultTimeout(120_000)

describe('given the log index', () => {
  const blocks = 5 * LOG_SECTION_BLOCKS + 10
  const commits = [...logChain(sampleBlocks(blocks))]

  /** The store before it had a log index. */
  const withoutIndex = async (): Promise<Map<string, Uint8Array>> => {
    const disk = createFaultyDriver()
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'), { flushBlocks: 50 })
    await commitAll(store, commits)
    await store.flush()
    return new Map([...disk.image].filter(([key]) => !key.startsWith('logs:')))
  }

  test('when a store has no index, then searches work immediately, and it is built in the background', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    expect([...disk.image.keys()].some(key => key.startsWith('logs:'))).toBe(false)
    expect(await found(store, commits, RARE, 0, blocks - 1)).toEqual(naive(commits, RARE, 0, blocks - 1))
    await store.flush()
    expect([...disk.image.keys()].filter(key => /^logs:\d+$/.test(key))).toHaveLength(5)
    expect(await found(store, commits, RARE, 0, blocks - 1)).toEqual(naive(commits, RARE, 0, blocks - 1))
    await store.close()
  })

  test('when a start interrupts its building, then it continues', async () => {
    const image = await withoutIndex()
    let pauses = 0
    const enough = Promise.withResolvers<void>()
    const disk = createFaultyDriver(image)
    const kv = keyValueOfDriver(disk.driver, 'none', async () => {
      if (++pauses === 2.5 * LOG_SECTION_BLOCKS) enough.resolve()
      await Promise.resolve()
    })
    const first = await openChainStore(kv)
    await enough.promise
    await first.close()
    expect([...disk.image.keys()].filter(key => /^logs:\d+$/.test(key))).toHaveLength(2)
    const second = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    expect(await found(second, commits, RARE, 0, blocks - 1)).toEqual(naive(commits, RARE, 0, blocks - 1))
    await second.flush()
    expect([...disk.image.keys()].filter(key => /^logs:\d+$/.test(key))).toHaveLength(5)
  })

  test('when the views have all blocks of a section, then it has the section, and not before', async () => {
    const disk = createFaultyDriver()
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await commitAll(store, commits.slice(0, LOG_SECTION_BLOCKS - 1))
    await store.flush()
    expect(disk.image.has('logs:0')).toBe(false)
    await commitAll(store, commits.slice(LOG_SECTION_BLOCKS - 1, LOG_SECTION_BLOCKS))
    await store.flush()
    expect(disk.image.has('logs:0')).toBe(true)
  })

  test('when it is built at another time, then it is the same', async () => {
    const made = new Set<string>()
    for (const flushBlocks of [1, 7, 64, 1000]) {
      const disk = createFaultyDriver()
      const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'), { flushBlocks })
      await commitAll(store, commits)
      await store.flush()
      const sections = [...disk.image].filter(
        ([key]) => key.startsWith('logs:') && !key.startsWith('logs:mark'),
      )
      made.add(JSON.stringify(sections.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, ...v])))
    }
    expect(made.size).toBe(1)
  })

  test('when it is complete, then the next start builds nothing', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    const first = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await first.flush()
    const written = disk.operations.length
    const second = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await second.flush()
    expect(disk.operations.length).toBe(written)
  })

  /** The disk operations of a run that builds the index and then commits `more`. */
  const recordedRun = async (
    initial: Image,
    more: readonly BlockCommit[],
  ): Promise<readonly DiskOperation[]> => {
    const disk = createFaultyDriver(initial)
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'synced'), { flushBlocks: 40 })
    await store.flush()
    await commitAll(store, more)
    await store.flush()
    return disk.operations
  }

  for (const [what, imageAfter] of [
    ['the process is killed', imageAfterKill],
    ['the power fails', imageAfterPowerCut],
  ] as const)
    test(`when ${what}, then it is whole after a stop at any operation`, async () => {
      const initial = await withoutIndex()
      const more = [...logChain(sampleBlocks(2 * LOG_SECTION_BLOCKS), commits.at(-1))]
      const all = [...commits, ...more]
      const operations = await recordedRun(initial, more)
      const random = seededRandom(9)
      let stops = 0
      for (let stop = 0; stop <= operations.length; stop++) {
        // While a part of the index is written, or shortly afterwards.
        const near = operations.slice(Math.max(0, stop - 3), stop + 1)
        if (!near.some(one => one.kind === 'write' && one.key.startsWith('logs:'))) continue
        for (let again = 0; again < 4; again++, stops++) {
          const kv = keyValueOfDriver(
            createFaultyDriver(imageAfter(operations, stop, random, initial)).driver,
            'synced',
          )
          const store = await openChainStore(kv, { flushBlocks: 40 })
          const head = Number(store.head()?.header.number)
          expect(await found(store, all, RARE, 0, head)).toEqual(naive(all, RARE, 0, head))
          if (again > 0) continue
          await commitAll(store, all.slice(head + 1))
          await store.flush()
          expect(await found(store, all, RARE, 0, all.length - 1)).toEqual(
            naive(all, RARE, 0, all.length - 1),
          )
        }
      }
      expect(stops).toBeGreaterThan(50)
    })

  test('when its progress was torn, then it continues from the one before', async () => {
    const initial = await withoutIndex()
    const operations = await recordedRun(initial, [...logChain(sampleBlocks(200), commits.at(-1))])
    const marks = operations.flatMap((one, index) =>
      one.kind === 'write' && one.key.startsWith('logs:mark') ? [{ index, key: one.key }] : [],
    )
    expect(marks.length).toBeGreaterThan(2)
    const { index, key } = marks.at(-1) as (typeof marks)[number]
    const torn = new Map(imageAfterKill(operations, index, seededRandom(1), initial))
    torn.set(key, new Uint8Array(5))
    const disk = createFaultyDriver(torn)
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await store.flush()
    const rewritten = disk.operations.flatMap(one =>
      one.kind === 'write' && /^logs:\d+$/.test(one.key) ? [one.key] : [],
    )
    expect(rewritten).not.toContain('logs:0')
    expect(rewritten.length).toBeGreaterThan(0)
  })

  test('when a block cannot be read, then every search reads it and gets the error', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    disk.flipBit('segment:70', 1000)
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await store.flush()
    const nothing: LogQuery = { addresses: [numberedAddress(4711)], topics: [] }
    expect((await search(store, nothing, 0, blocks - 1)).numbers).toEqual([70n])
    expect(String(await rejection(store.record(70n)))).toContain('segment:70')
  })

  test('when a section is damaged, then the error says so instead of leaving logs out', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await store.flush()
    disk.flipBit('logs:2', 300)
    expect(String(await rejection(search(store, RARE, 0, blocks - 1)))).toContain('logs:2')
  })

  test('when it cannot be stored, then the next commit reports it, and searches go on', async () => {
    const disk = createFaultyDriver(await withoutIndex())
    disk.fillAfter(2000)
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    expect(String(await rejection(store.flush()))).toContain('log index')
    const [next] = [...logChain([[]], commits.at(-1))]
    expect(String(await rejection(store.commit(next as BlockCommit)))).toContain('log index')
    expect(await found(store, commits, RARE, 0, blocks - 1)).toEqual(naive(commits, RARE, 0, blocks - 1))
  })
})
