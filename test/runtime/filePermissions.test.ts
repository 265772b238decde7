import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkKey } from '../../runtime/doctor/checks.ts'
import { accessOf, requirePrivateFile } from '../../runtime/keys/filePermissions.ts'
import { withFolder } from './folder.ts'

test.each([
  [0o400, 'nobody', true, false],
  [0o440, 'group', true, true],
  [0o640, 'group', true, true],
  [0o460, 'others', false, false],
  [0o444, 'others', false, false],
] as const)(
  'given a key file of a group of this process, when its mode is %d, then it is open to %s',
  (mode, open, passed, needsCare) =>
    withFolder(folder => {
      const path = join(folder, 'key')
      writeFileSync(path, '0x')
      chmodSync(path, mode)
      expect(accessOf(path)).toEqual({ open, mode })
      const check = checkKey(folder)
      expect([check.passed, check.needsCare === true]).toEqual([passed, needsCare])
      if (passed) requirePrivateFile(path)
      else expect(() => requirePrivateFile(path)).toThrow(`chmod 600 ${path}`)
    }),
)
