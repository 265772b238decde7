import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SqliteFileOptions } from '../../../runtime/drivers/databaseFile.ts'
import { openSqliteFile, type SqliteFile } from '../../../runtime/drivers/sqliteFile.ts'
import { seededRandom } from '../../support/random.ts'
import { rejection } from '../../support/rejection.ts'
import { turns } from '../../support/turns.ts'

const PAGE_BYTES = 4096
const VALUE = new Uint8Array(100_000).fill(7)
/** Rows of that size after which a checkpoint is due. */
const ROWS = 21

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-sqlite-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const optionsOf = (name: string): SqliteFileOptions => ({
  path: join(folder, name),
  schema: 'CREATE TABLE IF NOT EXISTS entry (key INTEGER PRIMARY KEY, value BLOB NOT NULL)',
  layout: 1,
  pageBytes: PAGE_BYTES,
  cacheBytes: 1024 * 1024,
})

const writerOf = (file: SqliteFile): ((key: number) => Promise<void>) => {
  const insert = file.prepare('INSERT INTO entry (key, value) VALUES (?, ?)')
  return key => file.transaction(1, VALUE.length, () => insert.run(key, VALUE))
}

const rowsOf = (file: SqliteFile): unknown => file.prepare('SELECT count(*) AS n FROM entry').get()?.['n']

const contentOf = (name: string): Buffer => readFileSync(join(folder, name))

/** A disk whose syncs end when they are told to. */
const heldDisk = () => {
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  let arrived: (() => void) | undefined
  return {
    sync: (): Promise<void> =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ resolve, reject })
        arrived?.()
      }),
    /** The next sync, once it is asked for. */
    next: async () => {
      if (waiting.length === 0) await new Promise<void>(resolve => (arrived = resolve))
      arrived = undefined
      return waiting.shift() as NonNullable<(typeof waiting)[0]>
    },
  }
}

/** A file amid its checkpoint: the WAL is on the disk and copied into the file, which is not. `old` is the file before. */
const copied = async () => {
  const disk = heldDisk()
  const file = await openSqliteFile(optionsOf('a'), disk.sync)
  const write = writerOf(file)
  const old = contentOf('a')
  for (let key = 0; key < ROWS; key++) await write(key)
  ;(await disk.next()).resolve()
  return { disk, file, write, old, fileSync: await disk.next() }
}

describe('given a checkpoint of a SQLite file', () => {
  test('given a WAL that is not on the disk yet, when one is due, then the file is not touched before', async () => {
    const disk = heldDisk()
    const file = await openSqliteFile(optionsOf('a'), disk.sync)
    const write = writerOf(file)
    const before = contentOf('a')
    for (let key = 0; key < ROWS; key++) await write(key)
    const walSync = await disk.next()
    expect(contentOf('a').equals(before)).toBe(true)
    walSync.resolve()
    const fileSync = await disk.next()
    expect(statSync(join(folder, 'a')).size).toBeGreaterThan(ROWS * VALUE.length)
    fileSync.resolve()
    await file.close()
  })

  test('given a file that is not on the disk yet, when more is written, then the WAL keeps what the file may lack', async () => {
    const { file, write, fileSync } = await copied()
    const wal = contentOf('a-wal')
    let isWritten = false
    const written = write(ROWS).then(() => {
      isWritten = true
    })
    await turns(20)
    expect(isWritten).toBe(false)
    expect(contentOf('a-wal').equals(wal)).toBe(true)
    expect(rowsOf(file)).toBe(ROWS)
    fileSync.resolve()
    await written
    expect(rowsOf(file)).toBe(ROWS + 1)
    expect(contentOf('a-wal').equals(wal)).toBe(false)
    await file.close()
  })

  test('given a power cut amid it, when the file is opened again, then nothing is missing, whichever pages got to the disk', async () => {
    const { file, old, fileSync } = await copied()
    const whole = contentOf('a')
    for (let seed = 1; seed <= 5; seed++) {
      const random = seededRandom(seed)
      const torn = Buffer.alloc(random.below(2) === 0 ? whole.length : old.length)
      old.copy(torn)
      for (let at = 0; at < torn.length; at += PAGE_BYTES)
        if (random.below(2) === 0) whole.copy(torn, at, at, at + PAGE_BYTES)
      writeFileSync(join(folder, `cut-${seed}`), torn)
      copyFileSync(join(folder, 'a-wal'), join(folder, `cut-${seed}-wal`))
      const again = await openSqliteFile(optionsOf(`cut-${seed}`))
      expect(rowsOf(again)).toBe(ROWS)
      expect(again.prepare('PRAGMA integrity_check').get()?.['integrity_check']).toBe('ok')
      await again.close()
    }
    fileSync.resolve()
    await file.close()
  })

  test('given writes that nobody waits for, when one is due among them, then all are made in their order', async () => {
    const file = await openSqliteFile(optionsOf('a'))
    const write = writerOf(file)
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 3 * ROWS }, async (_, key) => {
        await write(key)
        order.push(key)
      }),
    )
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(rowsOf(file)).toBe(3 * ROWS)
    await file.close()
    const again = await openSqliteFile(optionsOf('a'))
    expect(rowsOf(again)).toBe(3 * ROWS)
    await again.close()
  })

  test('given one that is due, when the file is closed at once, then it is closed whole', async () => {
    const file = await openSqliteFile(optionsOf('a'))
    const write = writerOf(file)
    for (let key = 0; key < ROWS; key++) await write(key)
    await file.close()
    expect(existsSync(join(folder, 'a-wal'))).toBe(false)
    const again = await openSqliteFile(optionsOf('a'))
    expect(rowsOf(again)).toBe(ROWS)
    await again.close()
  })
})

/** A file with one row whose first sync has failed. */
const brokenFile = async () => {
  const broken = new Error('EIO: input/output error')
  let failures = 1
  const file = await openSqliteFile(optionsOf('a'), () =>
    failures-- > 0 ? Promise.reject(broken) : Promise.resolve(),
  )
  const write = writerOf(file)
  await write(1)
  expect(await rejection(file.sync())).toBe(broken)
  return { broken, file, write }
}

describe('given a SQLite file whose disk fails', () => {
  test('when it is used again, then it fails for good: the system forgets what it could not write', async () => {
    const { broken, file, write } = await brokenFile()
    expect(await rejection(write(2))).toBe(broken)
    expect(await rejection(file.sync())).toBe(broken)
    await file.close()
  })

  test('when it is recovered, then it goes on with every write', async () => {
    const { file, write } = await brokenFile()
    await file.recover()
    await write(2)
    await file.sync()
    // With the statements of before.
    expect(rowsOf(file)).toBe(2)
    await file.recover()
    expect(rowsOf(file)).toBe(2)
    await file.close()
    const again = await openSqliteFile(optionsOf('a'))
    expect(rowsOf(again)).toBe(2)
    await again.close()
    expect(readdirSync(folder)).toEqual(['a'])
  })

  test('when that was at a checkpoint, then recovery writes all of the WAL into the file anew', async () => {
    const { disk, file, write, fileSync } = await copied()
    fileSync.reject(new Error('EIO: input/output error'))
    await rejection(write(ROWS))
    await file.recover()
    expect(rowsOf(file)).toBe(ROWS)
    await write(ROWS)
    const synced = file.sync()
    ;(await disk.next()).resolve()
    await synced
    await file.close()
    const again = await openSqliteFile(optionsOf('a'))
    expect(rowsOf(again)).toBe(ROWS + 1)
    await again.close()
  })

  test('when that was at a checkpoint, then it leaves the WAL, which has what the file may lack', async () => {
    const broken = new Error('EIO: input/output error')
    const { file, write, old, fileSync } = await copied()
    fileSync.reject(broken)
    expect(await rejection(write(ROWS))).toBe(broken)
    await file.close()
    // What the system kept in memory and could not write is gone after a power cut.
    writeFileSync(join(folder, 'a'), old)
    const again = await openSqliteFile(optionsOf('a'))
    expect(rowsOf(again)).toBe(ROWS)
    await again.close()
  })

  test('when it is stopped while leaving the WAL, then the WAL is still there', async () => {
    const { file, old, fileSync } = await copied()
    fileSync.reject(new Error('EIO: input/output error'))
    await file.close()
    writeFileSync(join(folder, 'a'), old)
    renameSync(join(folder, 'a-wal'), join(folder, 'a-wal-kept'))
    const again = await openSqliteFile(optionsOf('a'))
    expect(rowsOf(again)).toBe(ROWS)
    await again.close()
    expect(existsSync(join(folder, 'a-wal-kept'))).toBe(false)
  })
})
