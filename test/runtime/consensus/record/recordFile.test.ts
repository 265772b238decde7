import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../../core/bytes/hex.ts'
import type { RestartRecord } from '../../../../core/qbft/restart/restartRecord.ts'
import { encodeRestartRecord } from '../../../../core/qbft/restart/restartRecordCodec.ts'
import { keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { openRecord } from '../../../../runtime/consensus/record/openRecord.ts'
import { readRestartRecord } from '../../../../runtime/consensus/record/recordStore.ts'
import { openMemoryDriver } from '../../../../runtime/drivers/memory.ts'
import { openStorage } from '../../../../runtime/drivers/open.ts'
import { configureLog, logOf } from '../../../../runtime/logging/log.ts'
import { testAddress } from '../../genesis.ts'

const log = logOf('validator')
const OLD_KEY = 'qbft:record'

const record = (sequence: bigint, round: number): RestartRecord => ({
  sequence,
  round,
  proposed: undefined,
  prepared: new Uint8Array(32).fill(round),
  committed: undefined,
  certificate: undefined,
})

let folder: string
let lines: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-record-'))
  lines = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const OWNER = { address: testAddress(1), genesisHash: new Uint8Array(32).fill(0xab) }

const slot = (index: number): string =>
  join(folder, 'validator', `${toHex(testAddress(1))}-abababababababab`, `record.${index}`)

const synced = (): KeyValueStore => keyValueOfDriver(openMemoryDriver(), 'synced')

const write = async (storage: KeyValueStore, ...records: readonly RestartRecord[]): Promise<void> => {
  const place = await openRecord(folder, OWNER, storage, log)
  for (const one of records) await place.write(encodeRestartRecord(one))
  await place.close()
}

const read = async (storage: KeyValueStore = synced(), owner = OWNER, headNumber = 1_000n) => {
  const place = await openRecord(folder, owner, storage, log)
  const memory = await readRestartRecord(place, headNumber, log)
  await place.close()
  return memory
}

describe('the record of what a validator signed', () => {
  test('given a durable storage of any kind, then the record is in files of its own, and the newest one is read', async () => {
    await write(synced(), record(5n, 0), record(5n, 1), record(6n, 0))
    expect(await read()).toEqual({ record: record(6n, 0), isDamaged: false })
    await write(synced(), record(7n, 2))
    expect((await read()).record?.sequence).toBe(7n)
  })

  test('given nothing was signed, then nothing is written', async () => {
    expect(await read()).toEqual({ record: undefined, isDamaged: false })
    expect(existsSync(join(folder, 'validator'))).toBe(false)
  })

  test('given the views are deleted, then it is still there', async () => {
    const storage = await openStorage('sqlite', folder)
    await write(storage, record(5n, 1))
    await storage.close()
    for (const name of ['views.sqlite', 'views.sqlite-wal'])
      rmSync(join(folder, 'chain', name), { force: true })
    const again = await openStorage('sqlite', folder)
    expect((await read(again)).record).toEqual(record(5n, 1))
    await again.close()
  })

  test('given a record that an earlier release kept with the views, then it is moved to its files once', async () => {
    const storage = synced()
    await storage.setDurably({ key: OLD_KEY, value: encodeRestartRecord(record(9n, 3)) })
    expect(await read(storage)).toEqual({ record: record(9n, 3), isDamaged: false })
    expect(await storage.get(OLD_KEY)).toBeUndefined()
    expect(lines.join()).toContain('to its own file')
    expect((await read(synced())).record).toEqual(record(9n, 3))
  })

  test('given a record in both places, then the later one is kept', async () => {
    await write(synced(), record(9n, 3))
    const storage = synced()
    await storage.setDurably({ key: OLD_KEY, value: encodeRestartRecord(record(9n, 2)) })
    expect((await read(storage)).record).toEqual(record(9n, 3))
    await storage.setDurably({ key: OLD_KEY, value: encodeRestartRecord(record(10n, 0)) })
    expect((await read(storage)).record).toEqual(record(10n, 0))
  })

  test('given a storage that ends with the process, then the record ends with it, too', async () => {
    const storage = await openStorage('memory', folder)
    await write(storage, record(5n, 1))
    expect((await read(storage)).record).toEqual(record(5n, 1))
    expect(existsSync(join(folder, 'validator'))).toBe(false)
    expect((await read(await openStorage('memory', folder))).record).toBeUndefined()
  })
})

describe('given a record of another validator or chain', () => {
  test('then it is not used: the key or the chain was replaced', async () => {
    await write(synced(), record(9n, 3))
    const others = [
      { ...OWNER, address: testAddress(2) },
      { ...OWNER, genesisHash: new Uint8Array(32) },
    ]
    for (const other of others) expect((await read(synced(), other)).record).toBeUndefined()
    expect((await read()).record?.sequence).toBe(9n)
  })
})

describe('given files that were copied to where they do not belong', () => {
  const slotOf = (key: number, index: number): string =>
    join(folder, 'validator', `${toHex(testAddress(key))}-abababababababab`, `record.${index}`)

  test('when both are of another validator, then neither is used', async () => {
    await write(synced(), record(9n, 3), record(9n, 4))
    const place = await openRecord(folder, { ...OWNER, address: testAddress(2) }, synced(), log)
    for (const round of [0, 1]) await place.write(encodeRestartRecord(record(9n, round)))
    await place.close()
    for (const index of [0, 1]) copyFileSync(slotOf(2, index), slotOf(1, index))
    expect(await read()).toEqual({ record: undefined, isDamaged: true })
    expect(lines.join()).toContain(
      'signs nothing until a quorum of validators has reported its height and round',
    )
  })

  test('when one of them is of another validator, then the other one is read as the earlier record', async () => {
    await write(synced(), record(9n, 3), record(9n, 4))
    const place = await openRecord(folder, { ...OWNER, address: testAddress(2) }, synced(), log)
    for (const round of [0, 1, 2, 3]) await place.write(encodeRestartRecord(record(9n, round)))
    await place.close()
    copyFileSync(slotOf(2, 0), slotOf(1, 0))
    expect(await read()).toEqual({ record: record(9n, 3), isDamaged: true })
  })

  test('when the two files of a validator were swapped, then neither is used', async () => {
    await write(synced(), record(9n, 3), record(9n, 4))
    const first = readFileSync(slot(0))
    const second = readFileSync(slot(1))
    writeFileSync(slot(0), second)
    writeFileSync(slot(1), first)
    expect(await read()).toEqual({ record: undefined, isDamaged: true })
  })
})

test('given a deleted chain, then the log says that the validator waits for its blocks, and what to do if all nodes start a new chain', async () => {
  await write(synced(), record(9n, 3))
  await read(synced(), OWNER, 8n)
  expect(lines).toEqual([])
  await read(synced(), OWNER, 0n)
  expect(lines.join()).toContain('has signed messages of block 9, and its chain ends with block 0')
  expect(lines.join()).toContain('delete the folder validator')
})

describe('given a record that was not written to its end', () => {
  test('when it is cut at any length, then the one before counts, and that is reported', async () => {
    await write(synced(), record(5n, 0), record(5n, 1))
    const whole = readFileSync(slot(0))
    for (let length = 1; length < whole.length; length++) {
      writeFileSync(slot(0), whole.subarray(0, length))
      expect(await read()).toEqual({ record: record(5n, 0), isDamaged: true })
    }
    expect(lines.join()).toContain(
      'signs nothing until a quorum of validators has reported its height and round',
    )
  })

  test('when the file still has the end of the longer record before it, then it is whole', async () => {
    await write(synced(), record(5n, 0), record(5n, 1))
    const whole = readFileSync(slot(0))
    for (const rest of [1, 40, 100_000]) {
      writeFileSync(slot(0), Buffer.concat([whole, Buffer.alloc(rest, 0xab)]))
      expect(await read()).toEqual({ record: record(5n, 1), isDamaged: false })
    }
    expect(lines).toEqual([])
  })

  test('when a shorter record replaces a longer one, then the file keeps its length, unless that is above 1 MiB', async () => {
    await write(synced(), record(5n, 0), record(5n, 1))
    const whole = readFileSync(slot(0))
    for (const [rest, kept] of [
      [100_000, 100_000],
      [2 ** 20, 0],
    ] as const) {
      writeFileSync(slot(0), Buffer.concat([whole, Buffer.alloc(rest, 0xab)]))
      await write(synced(), record(6n, 0), record(6n, 1))
      expect(readFileSync(slot(0)).length).toBe(whole.length + kept)
      expect(await read()).toEqual({ record: record(6n, 1), isDamaged: false })
    }
  })

  test('when any byte is changed, then it is not read', async () => {
    await write(synced(), record(5n, 0), record(5n, 1))
    const whole = new Uint8Array(readFileSync(slot(0)))
    for (let index = 0; index < whole.length; index++) {
      const changed = whole.slice()
      changed[index] = (changed[index] as number) ^ 1
      writeFileSync(slot(0), changed)
      expect(await read()).toEqual({ record: record(5n, 0), isDamaged: true })
    }
  })

  test('when one file is missing, then the other is not read: the missing one may be newer', async () => {
    await write(synced(), record(5n, 0), record(5n, 1), record(6n, 0))
    rmSync(slot(1))
    expect(await read()).toEqual({ record: record(5n, 1), isDamaged: true })
  })

  test('when the next one is written, then it is whole again', async () => {
    await write(synced(), record(5n, 0), record(5n, 1))
    writeFileSync(slot(0), new Uint8Array(3))
    await write(synced(), record(7n, 0))
    expect(await read()).toEqual({ record: record(7n, 0), isDamaged: false })
  })
})
