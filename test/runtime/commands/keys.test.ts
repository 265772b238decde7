import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { withFolder } from '../folder.ts'
import { testAddress, testKey } from '../genesis.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand } from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

test('given a key file, when it is imported, gets another password and is exported, then it is the same key, and no file is overwritten', async () => {
  await withFolder(async folder => {
    const at = (name: string): string => join(folder, name)
    const secret = (name: string, text: string): string => {
      writeFileSync(at(name), text, { mode: 0o600 })
      return at(name)
    }
    const from = secret('key', toHex(testKey(3)))
    const [old, next] = [secret('old', 'first secret'), secret('next', 'second secret')]
    const keystore = `--keystore-file=${at('keystore.json')}`
    const imported = ['keys', 'import', `--from=${from}`, keystore, `--keystore-password-file=${old}`]
    const made = await runCommand(imported)
    expect([made.code, made.error]).toEqual([0, ''])
    expect(made.out).toContain(toHex(testAddress(3)))
    expect(statSync(at('keystore.json')).mode & 0o777).toBe(0o600)
    expect(readFileSync(at('keystore.json'), 'utf8')).not.toContain(toHex(testKey(3)).slice(2))
    expect((await runCommand(imported)).error).toContain('overwrites no key')

    const change = ['keys', 'change-password', keystore, `--new-password-file=${next}`]
    const before = readFileSync(at('keystore.json'), 'utf8')
    const wrong = await runCommand([...change, `--keystore-password-file=${next}`])
    expect([wrong.code, wrong.error.includes('the password is wrong')]).toEqual([1, true])
    expect(readFileSync(at('keystore.json'), 'utf8')).toBe(before)
    expect((await runCommand([...change, `--keystore-password-file=${old}`])).code).toBe(0)

    const give = ['keys', 'export', keystore, `--to=${at('again')}`]
    expect((await runCommand([...give, `--keystore-password-file=${old}`])).error).toContain('wrong')
    expect((await runCommand([...give, `--keystore-password-file=${next}`])).code).toBe(0)
    expect(readFileSync(at('again'), 'utf8')).toBe(toHex(testKey(3)))
    expect((await runCommand(['keys', 'export', `--to=${at('more')}`])).error).toContain(
      "Missing required option: '--keystore-file=<PATH>'",
    )
  })
})
