import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import type { SqliteFile } from '../drivers/sqliteFile.ts'
import { partNumber, sequentialNumber } from '../drivers/sqliteKeys.ts'

/** What the checks of records need of a store. */
export type RecordReader = Pick<KeyValueStore, 'get' | 'pause'>

/** Reads the file of records alone, as a store without views. */
export const createRecordReader = (segments: SqliteFile): RecordReader => {
  const tables = ['segment', 'part', 'history'].map(name => ({
    numberOf: (key: string) => (name === 'part' ? partNumber : sequentialNumber)(key, `${name}:`),
    read: segments.prepare(`SELECT value FROM ${name} WHERE id = ?`),
  }))
  return {
    get: async key => {
      for (const { numberOf, read } of tables) {
        const id = numberOf(key)
        if (id !== undefined) return read.get(id)?.['value'] as Uint8Array | undefined
      }
      return undefined
    },
    pause: async () => undefined,
  }
}

/** The last block in the file of records; -1 without one. */
export const lastRecordOf = (segments: SqliteFile): number =>
  (segments.prepare('SELECT max(id) AS last FROM segment').get()?.['last'] as number | null) ?? -1
