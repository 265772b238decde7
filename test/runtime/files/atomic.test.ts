import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeFileAtomically } from '../../../runtime/files/atomic.ts'
import { isInstalled, RUNTIME_COMMANDS, RUNTIMES } from '../../support/programs/runtimeCommands.ts'
import { withFolder } from '../folder.ts'

const ATOMIC = fileURLToPath(new URL('../../../runtime/files/atomic.ts', import.meta.url))

describe('given a file that is written atomically', () => {
  test('when it is written, then it is whole, in created folders, with its permission', () =>
    withFolder(folder => {
      const path = join(folder, 'a', 'b', 'key')
      writeFileAtomically(path, 'äöü\n', 0o600)
      expect(readFileSync(path, 'utf8')).toBe('äöü\n')
      expect(statSync(path).mode & 0o777).toBe(0o600)
      writeFileAtomically(path, 'other')
      expect(readFileSync(path, 'utf8')).toBe('other')
    }))

  for (const runtime of RUNTIMES)
    test.skipIf(!isInstalled(runtime))(
      `when the disk takes a part of it, then on ${runtime} it replaces none`,
      () =>
        withFolder(folder => {
          const path = join(folder, 'genesis.json')
          const script = join(folder, 'write.ts')
          writeFileSync(path, 'before')
          writeFileSync(
            script,
            `import { writeFileAtomically } from ${JSON.stringify(ATOMIC)}
          writeFileAtomically(${JSON.stringify(path)}, 'x'.repeat(600_000))`,
          )
          const [program, ...rest] = RUNTIME_COMMANDS[runtime]
          // A file may have 512 blocks of 512 or 1024 bytes: the system then takes the first part of a longer one.
          const { status } = spawnSync('sh', [
            '-c',
            'ulimit -f 512; exec "$@"',
            'sh',
            program,
            ...rest,
            script,
          ])
          expect(status).not.toBe(0)
          expect(readFileSync(path, 'utf8')).toBe('before')
        }),
    )
})
