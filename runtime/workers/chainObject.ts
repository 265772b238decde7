import { DurableObject, type DurableObjectContext } from 'cloudflare:workers'
import { equalBytes } from '../../core/bytes/bytes.ts'
import type { ConditionalWrite } from '../../core/store/codec/entries.ts'
import type { WorkerEnvironment } from './environment.ts'

/** Values that one statement may bind. */
const PARAMETERS_MAX = 100

const asBytes = (value: unknown): Uint8Array => new Uint8Array(value as ArrayBuffer)

/**
 * The Durable Object of a chain: its head, its state and what is found by a hash, in SQLite. One object handles one request
 * at a time, so that a write of many values is seen as a whole or not at all.
 */
export class ChainObject extends DurableObject<WorkerEnvironment> {
  constructor(ctx: DurableObjectContext, env: WorkerEnvironment) {
    super(ctx, env)
    this.ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID',
    )
  }

  /** The value of each key, in their order; null for none. */
  read(keys: readonly string[]): (Uint8Array | null)[] {
    const found = new Map<string, Uint8Array>()
    for (let at = 0; at < keys.length; at += PARAMETERS_MAX) {
      const some = keys.slice(at, at + PARAMETERS_MAX)
      const places = some.map(() => '?').join(', ')
      const rows = this.ctx.storage.sql.exec(`SELECT key, value FROM entry WHERE key IN (${places})`, ...some)
      for (const { key, value } of rows) found.set(key as string, asBytes(value))
    }
    return keys.map(key => found.get(key) ?? null)
  }

  /** Writes all entries, or none where the key does not have the expected value. */
  write({ key, value, entries }: ConditionalWrite): boolean {
    const { sql } = this.ctx.storage
    return this.ctx.storage.transactionSync(() => {
      const [found = null] = this.read([key])
      if (found === null ? value !== undefined : value === undefined || !equalBytes(found, value))
        return false
      for (const entry of entries)
        if (entry.value === undefined) sql.exec('DELETE FROM entry WHERE key = ?', entry.key)
        else
          sql.exec(
            'INSERT INTO entry (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
            entry.key,
            entry.value,
          )
      return true
    })
  }
}
