import { describe, expect, test } from 'bun:test'
import type { Receipt } from '../../../../core/block/receipt.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueEntry, KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { SEGMENT_PART_BYTES } from '../../../../core/store/limits.ts'
import { encodeSegment, encodeSegmentSteps } from '../../../../core/store/segments/segment.ts'
import { storedSegmentSteps } from '../../../../core/store/segments/segmentParts.ts'
import { runSteps } from '../../../../core/steps.ts'
import type { BlockCommit } from '../../../../core/store/store.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import { createFaultyDriver } from '../../../support/stores/faultyDriver.ts'
import { seededRandom } from '../../../support/random.ts'
import { rejection } from '../../../support/rejection.ts'
import { sampleChain } from '../../../support/chains/sampleChain.ts'

const MEGABYTE = 2 ** 20
/** A call that writes or reads so many bytes takes some milliseconds. */
const CALL_BYTES_MAX = 2 * SEGMENT_PART_BYTES + 1024

const chain = sampleChain({ seed: 5, blocks: 8, accounts: 4, slots: 2, changesMax: 3, transactionsMax: 3 })
const NUMBER = chain.commits.findIndex(({ receipts }) => receipts.length > 1)
const before = chain.commits.slice(0, NUMBER)
const first = chain.commits[NUMBER] as BlockCommit
const number = BigInt(NUMBER)

/** A block as the chain has it, whose receipts have these logs. */
const withLogs = (commit: BlockCommit, count: number, topics: number, bytes: number): BlockCommit => {
  const random = seededRandom(count)
  const data = random.bytes(1024)
  const logs = Array.from({ length: count }, () => ({
    address: data.subarray(0, 20),
    topics: Array.from({ length: topics }, (_, index) => data.subarray(index, index + 32)),
    data: bytes <= 1024 ? data.subarray(0, bytes) : new Uint8Array(bytes).fill(7),
  }))
  const [receipt, ...others] = commit.receipts
  return { ...commit, receipts: [{ ...(receipt as Receipt), logs }, ...others] }
}

/** A store in memory that notes the bytes of the longest value in one call, and the bytes between two pauses. */
const openWatched = async () => {
  const kv = keyValueOfDriver(openMemoryDriver(), 'none')
  const seen = { callBytes: 0, bytesAtOnce: 0, sincePause: 0 }
  const note = (bytes: number): void => {
    seen.callBytes = Math.max(seen.callBytes, bytes)
    seen.sincePause += bytes
    seen.bytesAtOnce = Math.max(seen.bytesAtOnce, seen.sincePause)
  }
  const noteEntries = (entries: readonly KeyValueEntry[]): void =>
    note(entries.reduce((sum, { value }) => sum + (value?.length ?? 0), 0))
  const watched: KeyValueStore = {
    ...kv,
    get: async key => {
      const value = await kv.get(key)
      note(value?.length ?? 0)
      return value
    },
    set: async entries => {
      noteEntries(entries)
      await kv.set(entries)
    },
    setDurably: async entry => {
      noteEntries([entry])
      await kv.setDurably(entry)
    },
    pause: async () => {
      seen.sincePause = 0
      await kv.pause()
    },
  }
  return { store: await openChainStore(watched), kv: watched, seen }
}

const reset = (seen: { callBytes: number; bytesAtOnce: number; sincePause: number }): void => {
  seen.callBytes = 0
  seen.bytesAtOnce = 0
  seen.sincePause = 0
}

describe('given a sealed block made by others with 80 MB of logs', () => {
  for (const [what, commit] of [
    ['90,000 logs of 4 topics', withLogs(first, 90_000, 4, 700)],
    ['20 logs of 4 MB', withLogs(first, 20, 1, 4 * MEGABYTE)],
    ['one log of 80 MB', withLogs(first, 1, 0, 80 * MEGABYTE)],
  ] as const) {
    test(`when it has ${what}, then it is encoded in steps of less than a megabyte`, () => {
      const steps = encodeSegmentSteps(commit)
      let count = 0
      let step = steps.next()
      for (; step.done !== true; step = steps.next()) count++
      const parts = step.value
      expect(Math.max(...parts.map(part => part.length))).toBeLessThanOrEqual(2 * SEGMENT_PART_BYTES)
      expect(count).toBeGreaterThan(parts.length)
      const stored = storedSegmentSteps(NUMBER, parts)
      let pauses = 0
      while (stored.next().done !== true) pauses++
      expect(pauses).toBe(parts.length)
    })

    test(`when it has ${what}, then it is written and read in slices, and reads back`, async () => {
      const { store, kv, seen } = await openWatched()
      for (const one of before) await store.commit(one)
      reset(seen)
      await store.commit(commit)
      expect(seen.callBytes).toBeLessThan(CALL_BYTES_MAX)
      expect(seen.bytesAtOnce).toBeLessThan(2 * CALL_BYTES_MAX)
      await store.flush()
      const again = await openChainStore(kv)
      reset(seen)
      const record = await again.record(number)
      expect(await again.hasRecord(number)).toBe(true)
      expect((await again.logsOf(number))?.receipts[0]?.logs.length).toBe(
        commit.receipts[0]?.logs.length as number,
      )
      expect(seen.callBytes).toBeLessThan(CALL_BYTES_MAX)
      expect(seen.bytesAtOnce).toBeLessThan(2 * CALL_BYTES_MAX)
      expect(Bun.deepEquals(record?.receipts, commit.receipts)).toBe(true)
      expect(Bun.deepEquals(await again.changesOf(number), commit.changes)).toBe(true)
    })
  }
})

describe('given a segment', () => {
  test('when its parts are of any length, then together they are the segment', () => {
    for (const commit of [first, withLogs(first, 50, 3, 60)])
      for (const partBytes of [1, 40, 200, 1_000, SEGMENT_PART_BYTES]) {
        const parts = runSteps(encodeSegmentSteps(commit, partBytes))
        expect(Buffer.concat([...parts]).equals(Buffer.from(encodeSegment(commit)))).toBe(true)
        if (partBytes === SEGMENT_PART_BYTES) expect(parts.length).toBe(1)
      }
  })

  test('when one of its parts is damaged or missing, then the error names the block, and a repair restores it', async () => {
    const disk = createFaultyDriver()
    const kv = keyValueOfDriver(disk.driver, 'synced')
    const store = await openChainStore(kv, { repairs: true, segmentPartBytes: 40 })
    for (const commit of chain.commits) await store.commit(commit)
    await store.flush()
    const open = () => openChainStore(kv, { repairs: true, segmentPartBytes: 40 })
    for (const damage of [
      () => Promise.resolve(disk.flipBit(`part:${NUMBER}:2`, 100)),
      () => kv.set([{ key: `part:${NUMBER}:3`, value: undefined }]),
      async () => kv.set([{ key: `part:${NUMBER}:0`, value: await kv.get(`part:${NUMBER}:1`) }]),
    ]) {
      const damaged = await open()
      await damage()
      expect(await damaged.hasRecord(number)).toBe(false)
      expect(await rejection(damaged.record(number))).toMatchObject({
        code: 'STORE_CORRUPTION',
        key: `segment:${NUMBER}`,
        block: NUMBER,
      })
      disk.unflip()
      await damaged.repair(first)
      expect(await damaged.hasRecord(number)).toBe(true)
      expect(Bun.deepEquals((await damaged.record(number))?.receipts, first.receipts)).toBe(true)
    }
  })
})
