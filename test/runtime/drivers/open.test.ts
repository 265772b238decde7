import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage, StorageUnavailable } from '../../../runtime/drivers/open.ts'
import { loadOptional } from '../../../runtime/drivers/optionalPackage.ts'
import { rejection } from '../../support/rejection.ts'

describe('given a storage by name', () => {
  test('when it is opened, then it says what its writes survive', async () => {
    const memory = await openStorage('memory', tmpdir())
    expect(memory.durability).toBe('none')
    expect(memory.getSync).toBeDefined()
    await memory.close()
  })

  test('when the name is unknown, then it is refused with the known ones', async () => {
    const error = await rejection(openStorage('floppy', tmpdir()))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect((error as StorageUnavailable).message).toContain('--storage=floppy is not known; known are sqlite')
    expect((error as StorageUnavailable).message).toContain('redis')
  })

  test('when the driver’s package is missing, then the error says so', async () => {
    const error = await rejection(openStorage('planetscale?url=mysql://127.0.0.1:1', tmpdir()))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect((error as StorageUnavailable).message).toContain('--storage=planetscale cannot be opened')
  })

  test('when the driver’s optional client is missing, then the error has the command that installs it', async () => {
    const missing = () => import(['a-client', 'that-is-not-installed'].join('-'))
    const error = await rejection(loadOptional('redis', 'ioredis', missing))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect((error as StorageUnavailable).message).toContain('run bun add ioredis (or npm install ioredis)')
  })

  test('when a server has no URL, or an option is unknown, then it is refused', async () => {
    expect(String(await rejection(openStorage('redis', tmpdir())))).toContain('redis?url=...')
    const unknown = rejection(openStorage('postgresql?url=postgres://127.0.0.1&tabel=x', tmpdir()))
    expect(String(await unknown)).toContain('has no option tabel')
  })

  test('when a storage gives back older values than were written, then it is refused', async () => {
    const error = await rejection(openStorage('cloudflare-kv-http?namespaceId=x', tmpdir()))
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect((error as StorageUnavailable).message).toContain('up to a minute after it was written')
  })

  test('when a driver of this project gets options without effect, then it is refused', async () => {
    for (const storage of ['sqlite?path=/elsewhere', 'memory?base=x']) {
      const error = await rejection(openStorage(storage, tmpdir()))
      expect(error).toBeInstanceOf(StorageUnavailable)
      expect((error as StorageUnavailable).message).toContain('takes no options')
    }
  })

  test('when options are given, then the driver gets them', async () => {
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
