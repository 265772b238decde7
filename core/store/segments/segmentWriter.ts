import type { KeyValueEntry, KeyValueStore } from '../keyvalue/keyvalue.ts'
import { UNWRITTEN_BLOCKS_MAX, UNWRITTEN_BYTES_MAX } from '../limits.ts'
import { segmentKey } from '../keys.ts'
import { type StoredSegment, writeSegment } from './segmentParts.ts'

/** Writes segments, several in one write when the caller does not wait for each. */
export type SegmentWriter = {
  add(segment: StoredSegment): void
  /** True when the waiting segments must be written before more are added. */
  readonly isFull: boolean
  /** Discards a waiting segment. */
  remove(segment: StoredSegment): void
  /**
   * Resolves when all added segments are durable. After a stop, a prefix of them, without a gap, is stored. After a failure
   * it rejects immediately until `reset`.
   */
  write(): Promise<void>
  /** Discards the waiting segments of blocks `first` to `last`; resolves when the writes that had begun have ended. */
  discard(first: number, last: number): Promise<void>
  /** Allows another attempt after a failure. */
  reset(): void
  /** Reads from memory while the segment or its part waits, otherwise from the store. */
  get(key: string): Promise<Uint8Array | undefined>
}

type WriterState = {
  readonly kv: KeyValueStore
  /** In the order of the blocks, by key. */
  readonly waiting: Map<string, StoredSegment>
  /** All waiting values by key. */
  readonly values: Map<string, Uint8Array>
  bytes: number
}

const remove = (state: WriterState, segment: StoredSegment): void => {
  const { waiting, values } = state
  const { entry, parts, bytes } = segment
  // Another segment may have been added under the same key.
  if (waiting.get(entry.key) !== segment) return
  waiting.delete(entry.key)
  for (const { key } of [entry, ...parts]) values.delete(key)
  state.bytes -= bytes
}

const add = (state: WriterState, segment: StoredSegment): void => {
  const { waiting, values } = state
  const { entry, parts, bytes } = segment
  const replaced = waiting.get(entry.key)
  if (replaced !== undefined) remove(state, replaced)
  waiting.set(entry.key, segment)
  for (const { key, value } of [entry, ...parts]) values.set(key, value)
  state.bytes += bytes
}

const setInOrder = async (kv: KeyValueStore, entries: readonly KeyValueEntry[]): Promise<void> => {
  if (kv.setAllDurably !== undefined) return kv.setAllDurably(entries)
  for (const entry of entries) await kv.setDurably(entry)
}

/**
 * Writes short segments together, and each large one separately after those before it. Also writes the segments that are
 * added during the writes.
 */
const writeWaiting = async (state: WriterState): Promise<void> => {
  const { kv } = state
  let short: StoredSegment[] = []
  const writeShort = async (): Promise<void> => {
    if (short.length === 0) return
    await setInOrder(
      kv,
      short.map(({ entry }) => entry),
    )
    for (const segment of short) remove(state, segment)
    short = []
  }
  for (const segment of state.waiting.values()) {
    if (segment.parts.length === 0) {
      short.push(segment)
      continue
    }
    await writeShort()
    await writeSegment(kv, segment)
    remove(state, segment)
  }
  await writeShort()
}

export const createSegmentWriter = (kv: KeyValueStore): SegmentWriter => {
  const state: WriterState = { kv, waiting: new Map(), values: new Map(), bytes: 0 }
  let last: Promise<void> = Promise.resolve()
  return {
    add: segment => add(state, segment),
    remove: segment => remove(state, segment),
    discard: (firstNumber, lastNumber) => {
      for (let number = firstNumber; number <= lastNumber; number++) {
        const segment = state.waiting.get(segmentKey(number))
        if (segment !== undefined) remove(state, segment)
      }
      return last
    },
    reset: () => {
      last = Promise.resolve()
    },
    get isFull() {
      return state.waiting.size >= UNWRITTEN_BLOCKS_MAX || state.bytes >= UNWRITTEN_BYTES_MAX
    },
    write: () => {
      // Writes run in sequence. After a failure no other write is tried, because it would leave a gap.
      last = last.then(() => writeWaiting(state))
      last.catch(() => undefined)
      return last
    },
    get: async key => state.values.get(key) ?? kv.get(key),
  }
}
