import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { tuneAllocator, withAllocatorSettings } from '../../runtime/allocator.ts'
import { isInstalled, RUNTIME_COMMANDS } from '../support/programs/runtimeCommands.ts'

const TUNES = fileURLToPath(new URL('tunesAllocator.ts', import.meta.url))

/** What `tuneAllocator` answers on Deno, with these permissions. */
const onDeno = (...permissions: readonly string[]): string => {
  const [program] = RUNTIME_COMMANDS.deno
  const { stdout } = spawnSync(program, ['run', '--quiet', ...permissions, TUNES], { encoding: 'utf8' })
  return stdout.trim()
}

describe('given the allocator', () => {
  test('when a process will start, then its environment configures it', () => {
    expect(withAllocatorSettings({ HOME: '/home' }, 'node')).toEqual({
      HOME: '/home',
      GLIBC_TUNABLES: 'glibc.malloc.mxfast=0',
      NODE_OPTIONS: '--max-semi-space-size=16',
    })
    expect(
      withAllocatorSettings({ GLIBC_TUNABLES: 'glibc.malloc.check=1', NODE_OPTIONS: '--title=x' }, 'node'),
    ).toEqual({
      GLIBC_TUNABLES: 'glibc.malloc.check=1:glibc.malloc.mxfast=0',
      NODE_OPTIONS: '--title=x --max-semi-space-size=16',
    })
  })

  test('when somebody else has set it, then it stays', () => {
    const environment = {
      GLIBC_TUNABLES: 'glibc.malloc.mxfast=64:glibc.malloc.check=1',
      NODE_OPTIONS: '--max-semi-space-size=64',
    }
    expect(withAllocatorSettings(environment, 'node')).toBe(environment)
  })

  test('when the runtime is Bun, then it is another one', () => expect(tuneAllocator()).toBe(false))

  test.skipIf(platform !== 'linux' || !isInstalled('deno'))(
    'when the runtime is Deno, then Deno says which',
    () => {
      expect(onDeno('-A')).toBe('true')
    },
  )

  test.skipIf(platform !== 'linux' || !isInstalled('deno'))(
    'when the permission is missing, then it stays, and no request is sent',
    () => {
      expect(onDeno('--allow-env', '--allow-sys')).toBe('false')
      expect(onDeno('-A', '--deny-ffi')).toBe('false')
    },
  )
})
