import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage, StorageUnavailable } from '../../../runtime/drivers/open.ts'
import { rejection } from '../../support/rejection.ts'

describe('opening a storage by its name', () => {
  test('tells what its writes survive', async () => {
    const memory = await openStorage('memory', tmpdir())
    expect(memory.durability).toBe('none')
    expect(memory.getSync).toBeDefined()
    await memory.close()
  })

  test('of an unknown name is refused with the names there are', async () => {
    const error = await rejection(openStorage('floppy', tmpdir()))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect((error as StorageUnavailable).message).toContain('--storage=floppy is not known; known are sqlite')
    expect((error as StorageUnavailable).message).toContain('redis')
  })

  test('of a driver whose package is not installed says so', async () => {
    const error = await rejection(openStorage('redis?url=redis://127.0.0.1:1', tmpdir()))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect((error as StorageUnavailable).message).toContain('--storage=redis cannot be opened')
  })

  test('of its own drivers with options, which would have no effect, is refused', async () => {
    for (const storage of ['sqlite?path=/elsewhere', 'memory?base=x']) {
      const error = await rejection(openStorage(storage, tmpdir()))
      expect(error).toBeInstanceOf(StorageUnavailable)
      expect((error as StorageUnavailable).message).toContain('takes no options')
    }
  })

  test('passes options to the driver', async () => {
    const path = mkdtempSync(join(tmpdir(), 'quorate-open-'))
    try {
      const kv = await openStorage(`fs?base=${join(path, 'elsewhere')}`, path)
      await kv.set([{ key: 'segment:0', value: Uint8Array.of(1) }])
      expect([...readFileSync(join(path, 'elsewhere', 'segment', '0'))]).toEqual([1])
    } finally {
      rmSync(path, { recursive: true, force: true })
    }
  })
})
