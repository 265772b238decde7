import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { withChecksum } from '../../../../core/store/checksum.ts'
import { createWriter } from '../../../../core/store/codec/writer.ts'
import { logProgressKey } from '../../../../core/store/keys.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { LOG_GROUP_SECTIONS, LOG_SECTION_BLOCKS } from '../../../../core/store/limits.ts'
import type { LogQuery } from '../../../../core/store/logs/pattern.ts'
import { logChain, numberedAddress, numberedLog } from '../../../support/chains/logChain.ts'
import { commitAll, naive, search } from '../../../support/chains/logSearch.ts'
import { rejection } from '../../../support/rejection.ts'
import { createFaultyDriver } from '../../../support/stores/faultyDriver.ts'

setDefaultTimeout(120_000)

const GROUP_BLOCKS = LOG_GROUP_SECTIONS * LOG_SECTION_BLOCKS
const BLOCKS = GROUP_BLOCKS + 3 * LOG_SECTION_BLOCKS + 5
const RARE: LogQuery = { addresses: [numberedAddress(9)], topics: [] }
const RARE_EVERY = 1_500

/** One log in each block, and another address in a few of them. */
const commits = [
  ...logChain(
    Array.from({ length: BLOCKS }, (_, number) => [
      [numberedLog(number % 3, []), ...(number % RARE_EVERY === 70 ? [numberedLog(9, [])] : [])],
    ]),
  ),
]

const imageOf = async (): Promise<Map<string, Uint8Array>> => {
  const disk = createFaultyDriver()
  const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
  await commitAll(store, commits)
  await store.flush()
  await store.close()
  return new Map(disk.image)
}

const image = await imageOf()

/** The store as a release without groups left it. */
const withoutGroups = (): Map<string, Uint8Array> => {
  const earlier = new Map([...image].filter(([key]) => !/^logs:(?:group|mark):/.test(key)))
  const progress = createWriter()
  progress.byte(1)
  progress.varint(Math.floor(BLOCKS / LOG_SECTION_BLOCKS))
  const key = logProgressKey(0)
  earlier.set(key, withChecksum(key, progress.finish()))
  return earlier
}

const groupsOf = (from: ReadonlyMap<string, Uint8Array>) =>
  [...from].filter(([key]) => key.startsWith('logs:group:')).map(([key, value]) => [key, ...value])

/** A store over a copy of the image, and the keys that were read. */
const reading = async () => {
  const read: string[] = []
  const kv = keyValueOfDriver(createFaultyDriver(image).driver, 'none')
  const recording: KeyValueStore = {
    ...kv,
    get: key => {
      read.push(key)
      return kv.get(key)
    },
  }
  const store = await openChainStore(recording)
  read.length = 0
  return { store, read }
}

describe('given a chain longer than a group of the log index', () => {
  test('when a search is of all blocks, then it reads of a group only the sections that have a match', async () => {
    const { store, read } = await reading()
    const { numbers } = await search(store, RARE, 0, BLOCKS - 1)
    expect(numbers).toEqual(naive(commits, RARE, 0, BLOCKS - 1))
    expect(read.filter(key => key.startsWith('logs:'))).toEqual([
      'logs:group:0',
      ...[70, 1_570, 3_070].map(number => `logs:${Math.floor(number / LOG_SECTION_BLOCKS)}`),
      ...[0, 1, 2].map(section => `logs:${LOG_GROUP_SECTIONS + section}`),
    ])
  })

  test('when a search begins and ends within the group, then it finds the blocks between', async () => {
    const { store } = await reading()
    for (const [from, to] of [
      [71, 1_570],
      [70, 1_569],
      [1_500, 1_600],
      [3_071, GROUP_BLOCKS - 1],
      [3_000, GROUP_BLOCKS + 500],
      [100, 100],
    ] as const) {
      const end = Math.min(to, BLOCKS - 1)
      expect((await search(store, RARE, from, end)).numbers).toEqual(naive(commits, RARE, from, end))
    }
  })

  test('when an earlier release made the index, then the group is built at the start, from the sections', async () => {
    const disk = createFaultyDriver(withoutGroups())
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    expect((await search(store, RARE, 0, BLOCKS - 1)).numbers).toEqual(naive(commits, RARE, 0, BLOCKS - 1))
    await store.flush()
    expect(groupsOf(disk.image)).toEqual(groupsOf(image))
    const written = disk.operations.filter(({ kind }) => kind === 'write')
    expect(written.length).toBe(groupsOf(image).length + 1)
  })

  test('when a section of it is damaged, then every search reads that section', async () => {
    const disk = createFaultyDriver(withoutGroups())
    disk.flipBit('logs:7', 100)
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'))
    await store.flush()
    const nothing: LogQuery = { addresses: [numberedAddress(4711)], topics: [] }
    expect(String(await rejection(search(store, nothing, 0, BLOCKS - 1)))).toContain('logs:7')
  })

  test('when its blocks are removed, then so is the group, and later blocks are searched', async () => {
    const disk = createFaultyDriver(image)
    const history = { blocks: 100, stepBlocks: 10 }
    const store = await openChainStore(keyValueOfDriver(disk.driver, 'none'), { history })
    await store.flush()
    expect(groupsOf(disk.image)).toEqual([])
    const from = Number(store.historyStart?.())
    expect((await search(store, RARE, from, BLOCKS - 1)).numbers).toEqual(
      naive(commits, RARE, from, BLOCKS - 1),
    )
  })
})
