import type { KeyValueEntry, KeyValueStore } from './keyvalue.ts'
import { UNWRITTEN_BLOCKS_MAX, UNWRITTEN_BYTES_MAX } from './limits.ts'

/** Segments on their way to the disk, several in one step where nobody waits for each of them. */
export type SegmentWriter = {
  add(key: string, value: Uint8Array): void
  /** True when those that wait are to be written before more are added. */
  readonly isFull: boolean
  /** Resolves when all that were added are durable. After a stop at any time the first of them are there, without a gap. */
  write(): Promise<void>
  /** From memory while it waits, else from the store. */
  get(key: string): Promise<Uint8Array | undefined>
}

export const createSegmentWriter = (kv: KeyValueStore): SegmentWriter => {
  const waiting = new Map<string, Uint8Array>()
  let bytes = 0
  let last: Promise<void> = Promise.resolve()

  const inOrder = async (entries: readonly KeyValueEntry[]): Promise<void> => {
    if (kv.setAllDurably !== undefined) return kv.setAllDurably(entries)
    for (const entry of entries) await kv.setDurably(entry)
  }

  const writeWaiting = async (): Promise<void> => {
    const entries = [...waiting].map(([key, value]) => ({ key, value }))
    if (entries.length === 0) return
    await inOrder(entries)
    for (const { key, value } of entries) {
      waiting.delete(key)
      bytes -= value.length
    }
  }

  return {
    add: (key, value) => {
      waiting.set(key, value)
      bytes += value.length
    },
    get isFull() {
      return waiting.size >= UNWRITTEN_BLOCKS_MAX || bytes >= UNWRITTEN_BYTES_MAX
    },
    write: () => {
      // One after the other; after a failure none is tried, which would leave a gap.
      last = last.then(writeWaiting)
      last.catch(() => undefined)
      return last
    },
    get: async key => waiting.get(key) ?? kv.get(key),
  }
}
