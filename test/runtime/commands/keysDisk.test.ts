import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { createSmallDisk } from '../../support/programs/smallDisk.ts'
import { runHere } from '../commandLine.ts'
import { testKey } from '../genesis.ts'

setDefaultTimeout(120_000)

const disk = createSmallDisk(1)

describe.skipIf(disk === undefined)('given a full disk', () => {
  afterAll(() => disk?.remove())

  test('when a key is imported, exported or gets another password, then the command says so, and the disk is as it was', async () => {
    if (disk === undefined) return
    const at = (name: string): string => join(disk.path, name)
    for (const [name, text] of [
      ['key', toHex(testKey(3))],
      ['old', 'first secret'],
      ['next', 'second secret'],
    ] as const)
      writeFileSync(at(name), text, { mode: 0o600 })
    const opened = [`--keystore-file=${at('keystore')}`, `--keystore-password-file=${at('old')}`]
    expect((await runHere(['keys', 'import', `--from=${at('key')}`, ...opened])).code).toBe(0)
    const before = readFileSync(at('keystore'), 'utf8')
    disk.fill(0)
    const files = readdirSync(disk.path)
    for (const args of [
      ['import', `--from=${at('key')}`, `--keystore-file=${at('more')}`, opened[1] as string],
      ['export', ...opened, `--to=${at('plain')}`],
      ['change-password', ...opened, `--new-password-file=${at('next')}`],
    ]) {
      const { code, error } = await runHere(['keys', ...args])
      expect([code, error]).toEqual([1, expect.stringContaining('written') as string])
      expect(error).toContain('the disk is full')
      expect(readdirSync(disk.path)).toEqual(files)
    }
    expect(readFileSync(at('keystore'), 'utf8')).toBe(before)
    rmSync(at('keystore'))
  })
})
