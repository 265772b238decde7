import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { concatBytes } from '../../core/bytes/bytes.ts'

/** Small pieces are written together: a chain has many blocks of some hundred bytes. */
const BATCH_BYTES = 256 * 1024

/** Bytes between two syncs. One sync of a large file at its end would delay the sync of a block for seconds. */
const SYNC_BYTES = 8 * 1024 * 1024

/** A file that is written from its start to its end. */
export type SyncedFile = {
  /** Bytes written so far. */
  bytes(): number
  write(piece: Uint8Array): Promise<void>
  /** Resolves when the file is on the disk. */
  close(): Promise<void>
  /** Closes the incomplete file. */
  abandon(): Promise<void>
}

/** Creates a file that only this user may read. @throws the system's error */
export const openSyncedFile = async (path: string): Promise<SyncedFile> => {
  const output = createWriteStream(path, { mode: 0o600 })
  const closed = finished(output)
  // Awaited in `write` and `close`; without this an earlier failure would be an unhandled rejection.
  closed.catch(() => undefined)
  await Promise.race([once(output, 'open'), closed])
  const synced = await open(path, 'r+')
  let batch: Uint8Array[] = []
  let batched = 0
  let unsynced = 0
  let total = 0
  const flush = async (): Promise<void> => {
    const bytes = concatBytes(...batch)
    batch = []
    batched = 0
    if (bytes.length > 0 && !output.write(bytes)) await Promise.race([once(output, 'drain'), closed])
  }
  return {
    bytes: () => total,
    write: async piece => {
      batch.push(piece)
      batched += piece.length
      unsynced += piece.length
      total += piece.length
      if (batched >= BATCH_BYTES) await flush()
      if (unsynced < SYNC_BYTES) return
      unsynced = 0
      await synced.datasync()
    },
    close: async () => {
      try {
        await flush()
        output.end()
        await closed
        await synced.sync()
      } finally {
        await synced.close()
      }
    },
    abandon: async () => {
      output.destroy()
      await closed.catch(() => undefined)
      await synced.close()
    },
  }
}
