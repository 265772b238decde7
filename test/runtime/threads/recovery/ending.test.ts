import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isInstalled, RUNTIME_COMMANDS, RUNTIMES } from '../../../support/programs/runtimeCommands.ts'

const PROGRAM = fileURLToPath(new URL('./endRecoveryThreads.ts', import.meta.url))

describe('given recovery threads that end while they load and recover', () => {
  for (const runtime of RUNTIMES) {
    // A thread ended from outside in the native addon aborted the process, on Bun and on Node.
    test.skipIf(!isInstalled(runtime))(
      `when the runtime is ${runtime}, then the process stays whole`,
      async () => {
        const [program, ...args] = RUNTIME_COMMANDS[runtime]
        const child = spawn(program, [...args, PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] })
        const [printed, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')])
        expect([printed, code, signal]).toEqual(['20\n', 0, null])
      },
      60_000,
    )
  }
})
