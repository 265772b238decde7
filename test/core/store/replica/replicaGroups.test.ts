import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { LOG_GROUP_SECTIONS, LOG_SECTION_BLOCKS } from '../../../../core/store/limits.ts'
import type { LogQuery } from '../../../../core/store/logs/pattern.ts'
import { createReadStore, type ReplicaSnapshot } from '../../../../core/store/replica/readStore.ts'
import { decodeReplicaHead } from '../../../../core/store/replica/replicaHead.ts'
import { openReplicaWriter } from '../../../../core/store/replica/replicaWriter.ts'
import { encodeSegment } from '../../../../core/store/segments/segment.ts'
import { logChain, numberedAddress, numberedLog } from '../../../support/chains/logChain.ts'
import { naive, search } from '../../../support/chains/logSearch.ts'
import { sharedMemory, writerId } from '../../../support/stores/replica.ts'

setDefaultTimeout(120_000)

const GROUP_BLOCKS = LOG_GROUP_SECTIONS * LOG_SECTION_BLOCKS
const BLOCKS = GROUP_BLOCKS + 3 * LOG_SECTION_BLOCKS
const RARE: LogQuery = { addresses: [numberedAddress(9)], topics: [] }
const BATCH = 64

/** One log in each block, and another address in a few of them. */
const commits = [
  ...logChain(
    Array.from({ length: BLOCKS }, (_, number) => [
      numberedLog(number % 3, []),
      ...(number % 1_500 === 70 ? [numberedLog(9, [])] : []),
    ]).map(logs => [logs]),
  ),
]

const fill = async (kv: KeyValueStore, from: number, to: number): Promise<void> => {
  const writer = await openReplicaWriter(kv, {
    writer: writerId(1),
    genesisHash: (commits[0] as (typeof commits)[number]).hash,
    contents: 'blocks',
  })
  for (let at = from; at < to; at += BATCH)
    await writer.write(commits.slice(at, Math.min(at + BATCH, to)).map(encodeSegment))
}

const items = new Map<string, Uint8Array>()
await fill(sharedMemory(items), 0, BLOCKS)

/** A reader of the entries, and the keys of the log index that it reads. */
const readingOf = async (entries: ReadonlyMap<string, Uint8Array>) => {
  const kv = sharedMemory(new Map(entries))
  const read: string[] = []
  const recording = { ...kv, get: (key: string) => (read.push(key), kv.get(key)) }
  const replica = decodeReplicaHead((await kv.get('replica')) as Uint8Array) as ReplicaSnapshot
  const store = createReadStore(recording, replica)
  return { store, indexReads: () => read.filter(key => key.startsWith('logs:')) }
}

const expected = naive(commits, RARE, 0, BLOCKS - 1)

describe('given a replica longer than a group of the log index', () => {
  test('when a reader searches all blocks for a rare event, then it reads the group and the sections that have it', async () => {
    const { store, indexReads } = await readingOf(items)
    expect((await search(store, RARE, 0, BLOCKS - 1)).numbers).toEqual(expected)
    expect(indexReads()).toEqual([
      'logs:group:0',
      ...[70, 1_570, 3_070].map(number => `logs:${Math.floor(number / LOG_SECTION_BLOCKS)}`),
      ...[0, 1, 2].map(section => `logs:${LOG_GROUP_SECTIONS + section}`),
    ])
  })

  test('when a search begins and ends within the group, then it finds the blocks between', async () => {
    const { store } = await readingOf(items)
    for (const [from, to] of [
      [71, 1_570],
      [70, 1_569],
      [3_071, GROUP_BLOCKS - 1],
      [3_000, GROUP_BLOCKS + 100],
      [100, 100],
    ] as const)
      expect((await search(store, RARE, from, to)).numbers).toEqual(naive(commits, RARE, from, to))
  })

  test('when an earlier release filled it, then sections are searched, and the next writes add the groups', async () => {
    const earlier = new Map<string, Uint8Array>()
    await fill(sharedMemory(earlier), 0, BLOCKS - 2)
    const group = earlier.get('logs:group:0')
    for (const key of earlier.keys()) if (key.startsWith('logs:group:')) earlier.delete(key)
    const { store } = await readingOf(earlier)
    expect((await search(store, RARE, 0, BLOCKS - 3)).numbers).toEqual(expected)
    await fill(sharedMemory(earlier), BLOCKS - 2, BLOCKS)
    expect(earlier.get('logs:group:0')).toEqual(group as Uint8Array)
  })
})
