import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  readPermissions,
  requireList,
  writePermissions,
} from '../../../runtime/permissions/permissionsFile.ts'
import { withFolder } from '../folder.ts'

const ACCOUNT = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'
const NODE =
  'enode://6f8a80d14311c39f35f516fa664deaaaa13e85b2f7493f37f6144d86991ec012937307647bd3b9a82abe2974e1407241d54947bbb39763a4cac9f77166ad92a0@127.0.0.1:30303'

const withFile = (text: string | Uint8Array, check: (path: string) => void): Promise<void> =>
  withFolder(folder => {
    const path = join(folder, 'permissions_config.toml')
    writeFileSync(path, text)
    check(path)
  })

describe('given a permissions file', () => {
  test('when it holds both lists, then accounts are read without regard to case', () =>
    withFile(
      `accounts-allowlist=["${ACCOUNT.toUpperCase().replace('0X', '0x')}"]\nnodes-allowlist=["${NODE}"]\n`,
      path => expect(readPermissions(path)).toEqual({ accounts: [ACCOUNT], nodes: [NODE] }),
    ))

  test('when one list is written, then the other stays', () =>
    withFile(`accounts-allowlist=["${ACCOUNT}"]\nnodes-allowlist=["${NODE}"]\n`, path => {
      writePermissions(path, { accounts: [] })
      expect(readPermissions(path)).toEqual({ accounts: [], nodes: [NODE] })
      expect(readFileSync(path, 'utf8')).toContain('nodes-allowlist')
    }))

  const wrong: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['is no TOML', 'accounts-allowlist=[', /is not TOML: .*\(line 1/],
    ['is half a file', `accounts-allowlist=["${ACCOUNT}"]\nnodes-allow`, /is not TOML/],
    ['holds no array', 'accounts-allowlist="0x"', /accounts-allowlist must be an array of strings/],
    ['holds an invalid account', 'accounts-allowlist=["0x12"]', /invalid account 0x12 in accounts-allowlist/],
    ['holds an invalid enode', 'nodes-allowlist=["enode://12@a:1"]', /invalid enode enode:\/\/12@a:1/],
    ['is enormous', new Uint8Array(9 * 1024 * 1024).fill(32), /is longer than/],
    ['is binary', new Uint8Array(64).fill(0xff), /is not TOML/],
  ]
  for (const [what, text, message] of wrong)
    test(`when it ${what}, then the error says so`, () =>
      withFile(text, path => expect(() => readPermissions(path)).toThrow(message)))

  test('when a list is enabled and missing, then the error names the key', () =>
    expect(() => requireList('p.toml', undefined, 'nodes-allowlist')).toThrow(
      'nodes-allowlist config option missing in TOML config file p.toml',
    ))

  test('when it is not there, then the error says so', () =>
    expect(() => readPermissions('/none/such.toml')).toThrow('there is no such file'))
})
