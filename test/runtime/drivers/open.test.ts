import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage, StorageUnavailable } from '../../../runtime/drivers/open.ts'
import { loadOptional } from '../../../runtime/drivers/optionalPackage.ts'
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
    const error = await rejection(openStorage('planetscale?url=mysql://127.0.0.1:1', tmpdir()))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect((error as StorageUnavailable).message).toContain('--storage=planetscale cannot be opened')
  })

  test('of a driver whose optional client is not installed names the command that installs it', async () => {
    const missing = () => import(['a-client', 'that-is-not-installed'].join('-'))
    const error = await rejection(loadOptional('redis', 'ioredis', missing))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect((error as StorageUnavailable).message).toContain('run bun add ioredis (or npm install ioredis)')
  })

  test('of a server without its URL, or with an unknown option, is refused', async () => {
    expect(String(await rejection(openStorage('redis', tmpdir())))).toContain('redis?url=...')
    const unknown = rejection(openStorage('postgresql?url=postgres://127.0.0.1&tabel=x', tmpdir()))
    expect(String(await unknown)).toContain('has no option tabel')
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
