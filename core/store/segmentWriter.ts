import type { KeyValueEntry, KeyValueStore } from './keyvalue.ts'
import { UNWRITTEN_BLOCKS_MAX, UNWRITTEN_BYTES_MAX } from './limits.ts'

/** Segments waiting to be written, several in one write if the caller does not wait for each. */
export type SegmentWriter = {
  add(key: string, value: Uint8Array): void
  /** True when the waiting segments must be written before more are added. */
  readonly isFull: boolean
  /** Discards a segment that is not to be written. */
  remove(key: string): void
  /**
   * Resolves when all added segments are durable. After a stop, a prefix of them, without a gap, is stored. After a failure
   * it rejects immediately until `reset`.
   */
  write(): Promise<void>
  /** Allows another attempt after a failure. */
  reset(): void
  /** Reads from memory while the segment waits, else from the store. */
  get(key: string): Promise<Uint8Array | undefined>
}

export const createSegmentWriter = (kv: KeyValueStore): SegmentWriter => {
  const waiting = new Map<string, Uint8Array>()
  let bytes = 0
  let last: Promise<void> = Promise.resolve()

  const setInOrder = async (entries: readonly KeyValueEntry[]): Promise<void> => {
    if (kv.setAllDurably !== undefined) return kv.setAllDurably(entries)
    for (const entry of entries) await kv.setDurably(entry)
  }

  const discard = (key: string, value: Uint8Array): void => {
    // Another segment may have been added under the same key.
    if (waiting.get(key) !== value) return
    waiting.delete(key)
    bytes -= value.length
  }

  const writeWaiting = async (): Promise<void> => {
    const entries = [...waiting].map(([key, value]) => ({ key, value }))
    if (entries.length === 0) return
    await setInOrder(entries)
    for (const { key, value } of entries) discard(key, value)
  }

  return {
    add: (key, value) => {
      bytes -= waiting.get(key)?.length ?? 0
      waiting.set(key, value)
      bytes += value.length
    },
    remove: key => {
      const value = waiting.get(key)
      if (value !== undefined) discard(key, value)
    },
    reset: () => {
      last = Promise.resolve()
    },
    get isFull() {
      return waiting.size >= UNWRITTEN_BLOCKS_MAX || bytes >= UNWRITTEN_BYTES_MAX
    },
    write: () => {
      // Writes run in sequence; after a failure none is tried, which would leave a gap.
      last = last.then(writeWaiting)
      last.catch(() => undefined)
      return last
    },
    get: async key => waiting.get(key) ?? kv.get(key),
  }
}
