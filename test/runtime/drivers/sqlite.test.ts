import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { openSqliteDriver } from '../../../runtime/drivers/sqlite.ts'
import { SqliteFileError } from '../../../runtime/drivers/databaseFile.ts'
import {
  keyOfPart,
  packKey,
  partNumber,
  pathNumber,
  pathOfNumber,
  sequentialNumber,
  unpackKey,
} from '../../../runtime/drivers/sqliteKeys.ts'
import { seededRandom } from '../../support/random.ts'
import { rejection } from '../../support/rejection.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { expectChain } from '../../support/stores/storeCheck.ts'

let path: string
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'quorate-sqlite-'))
})
afterEach(() => rmSync(path, { recursive: true, force: true }))

const chain = sampleChain({ seed: 19, blocks: 40, accounts: 5, slots: 2, changesMax: 3, transactionsMax: 2 })

describe('given the SQLite driver', () => {
  test('when it is used as an unstorage driver, then strings, keys and removal work', async () => {
    const driver = await openSqliteDriver({ path })
    await driver.setItem?.('notes:a', 'hello', {})
    await driver.setItemRaw?.('segment:12', Uint8Array.of(1), {})
    await driver.setItemRaw?.('a:00112233445566778899', Uint8Array.of(2), {})
    expect(await driver.getItem('notes:a')).toBe('hello')
    expect(await driver.hasItem('segment:12', {})).toBe(true)
    expect([...(await driver.getKeys('', {}))].sort()).toEqual([
      'a:00112233445566778899',
      'notes:a',
      'segment:12',
    ])
    await driver.removeItem?.('notes:a', {})
    expect(await driver.getItem('notes:a')).toBeNull()
    await driver.clear?.('a:', {})
    expect(await driver.getKeys('', {})).toEqual(['segment:12'])
    await driver.dispose?.()
  })

  test('when it writes a batch, then whole or not at all', async () => {
    const driver = await openSqliteDriver({ path })
    const broken = Symbol('no value') as unknown as Uint8Array
    const batch = driver.setEntries?.([
      { key: 'a:01', value: Uint8Array.of(1) },
      { key: 'a:02', value: broken },
    ])
    expect(await rejection(Promise.resolve(batch))).toBeInstanceOf(Error)
    expect(driver.getItemRawSync?.('a:01')).toBeUndefined()
    await driver.setEntries?.([{ key: 'a:01', value: Uint8Array.of(3) }])
    expect(driver.getItemRawSync?.('a:01')).toEqual(Uint8Array.of(3))
    await driver.dispose?.()
  })

  test('when it is written to without rest, then its write-ahead logs stay small', async () => {
    const driver = await openSqliteDriver({ path })
    const value = new Uint8Array(100_000).fill(1)
    for (let i = 0; i < 800; i++) {
      await driver.setEntries?.([{ key: `c:${i}`, value }])
      await driver.setDurably?.({ key: `segment:${i}`, value })
    }
    for (const file of ['segments.sqlite-wal', 'views.sqlite-wal'])
      expect(statSync(join(path, file)).size).toBeLessThan(32 * 1024 * 1024)
    await driver.dispose?.()
  })

  test('when the file of views is deleted, then they are rebuilt from the segments', async () => {
    const store = await openChainStore(await openStorage('sqlite', path), { flushBlocks: 8 })
    for (const commit of chain.commits) await store.commit(commit)
    await store.close()
    rmSync(join(path, 'chain', 'views.sqlite'))
    const again = await openChainStore(await openStorage('sqlite', path), { flushBlocks: 8 })
    await expectChain(again, chain, 39)
    await again.close()
  })

  test('when a file is no database, then it is refused by name', async () => {
    await (await openStorage('sqlite', path)).close()
    writeFileSync(
      join(path, 'chain', 'segments.sqlite'),
      'not a database, but long enough to be read as one. '.repeat(90),
    )
    const error = await rejection(openStorage('sqlite', path))
    expect(error).toBeInstanceOf(SqliteFileError)
    expect((error as SqliteFileError).message).toContain('segments.sqlite')
  })

  test('when it has every kind of key, then it keeps and lists them as written', async () => {
    const driver = await openSqliteDriver({ path })
    const hex = '0123456789abcdef'.repeat(4)
    const keys = [
      `a:${hex.slice(24)}`,
      `s:${hex.slice(24)}${hex.slice(48)}${hex}`,
      `h:${hex.slice(24)}0000000000`,
      `c:${hex}`,
      `b:${hex}`,
      `t:${hex}`,
      'n:t:n',
      'n:t:n0',
      'n:t:n00',
      'n:t:nf',
      'n:t:n0123456789ab',
      'n:t:nffffffffffff',
      'n:t:n0123456789abc',
      `n:t:${hex.slice(24)}:1:n`,
      `n:t:${hex.slice(24)}:1:n0a`,
      'segment:7',
      'part:7:0',
      'part:7:1048575',
      'part:4294967296:0',
      'header:7',
      'mark:0',
      'intent',
      'journal:3',
    ]
    await driver.setEntries?.(keys.map((key, index) => ({ key, value: Uint8Array.of(index) })))
    expect([...(await driver.getKeys('', {}))].sort()).toEqual(keys.toSorted())
    keys.forEach((key, index) => expect(driver.getItemRawSync?.(key)).toEqual(Uint8Array.of(index)))
    for (const key of keys) await driver.removeItem?.(key, {})
    expect(await driver.getKeys('', {})).toEqual([])
    await driver.dispose?.()
  })

  test('when tables have another layout, then they are refused with what to do', async () => {
    await (await openStorage('sqlite', path)).close()
    const file = join(path, 'chain', 'views.sqlite')
    const database = new Database(file)
    database.run('PRAGMA user_version = 99')
    database.close()
    const error = await rejection(openStorage('sqlite', path))
    expect(error).toBeInstanceOf(SqliteFileError)
    expect((error as SqliteFileError).message).toContain('its tables have layout 99')
    expect((error as SqliteFileError).message).toContain('the next start creates it again from the segments')
    rmSync(file)
    await (await openStorage('sqlite', path)).close()
  })
})

describe('given the keys of the SQLite driver', () => {
  test('when they are packed, then without loss and without collision', () => {
    const random = seededRandom(31)
    const seen = new Map<string, string>()
    const digits = '0123456789abcdef:nsxyz.'
    for (let i = 0; i < 20_000; i++) {
      const key = Array.from(
        { length: 1 + random.below(30) },
        () => digits[random.below(digits.length)],
      ).join('')
      const packed = packKey(key)
      expect(unpackKey(packed)).toBe(key)
      const name = packed.join()
      expect(seen.get(name) ?? key).toBe(key)
      seen.set(name, key)
    }
    for (const length of [507, 508, 509, 1000])
      expect(unpackKey(packKey('a'.repeat(length)))).toBe('a'.repeat(length))
    expect(packKey(`a:${'0f'.repeat(20)}`).length).toBe(24)
  })

  test('when they are of trie records, then they are numbers in the order of the paths', () => {
    const random = seededRandom(37)
    const paths = new Set(['', '0', '00', '000000000000', 'ffffffffffff', 'f'])
    while (paths.size < 2000) {
      const digits = Array.from({ length: random.below(13) }, () => random.below(16).toString(16))
      paths.add(digits.join(''))
    }
    const numbers = [...paths].sort().map(name => pathNumber(`n:${name}`, 'n:') as number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers.map(pathOfNumber)).toEqual([...paths].sort())
    expect(numbers.every(Number.isSafeInteger)).toBe(true)
    for (const key of ['n:0123456789abc', 'n:0A', 'n:g', 'm:0', 'n'])
      expect(pathNumber(key, 'n:')).toBeUndefined()
  })

  test('when they have sequential numbers, then they differ from all others', () => {
    for (const [key, number] of [
      ['segment:0', 0],
      ['segment:10', 10],
      ['segment:999999999999999', 999_999_999_999_999],
      ['segment:1000000000000000', undefined],
      ['segment:01', undefined],
      ['segment:', undefined],
      ['segment:1a', undefined],
      ['segment:-1', undefined],
      ['segments:1', undefined],
    ] as const)
      expect(sequentialNumber(key, 'segment:')).toBe(number as number)
  })

  test('when they are parts of a number, then the parts have numbers in their order, which give the keys back', () => {
    const keys = ['part:0:0', 'part:0:1', 'part:0:1048575', 'part:1:0', 'part:4294967295:1048575']
    const numbers = keys.map(key => partNumber(key, 'part:') as number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(numbers.every(Number.isSafeInteger)).toBe(true)
    expect(numbers.map(number => keyOfPart(number, 'part:'))).toEqual(keys)
    for (const key of ['part:1', 'part:1:', 'part:01:1', 'part:1:1048576', 'part:4294967296:0', 'part:1:2:3'])
      expect(partNumber(key, 'part:')).toBeUndefined()
  })
})
