import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isInstalled, RUNTIME_COMMANDS, RUNTIMES } from '../../../support/programs/runtimeCommands.ts'

const PROGRAM = fileURLToPath(new URL('./failingNetworkThread.ts', import.meta.url))

describe('given a network thread', () => {
  for (const runtime of RUNTIMES) {
    const run = async (...given: string[]) => {
      const [program, ...args] = RUNTIME_COMMANDS[runtime]
      const child = spawn(program, [...args, PROGRAM, ...given], { stdio: ['ignore', 'pipe', 'pipe'] })
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[code: number]>,
      ])
      return { out, err, code }
    }
    test.skipIf(!isInstalled(runtime))(
      `when it is stopped, then nothing keeps ${runtime} alive`,
      async () => {
        expect(await run()).toMatchObject({ out: 'true\nended: true\n', code: 0 })
      },
    )
    test.skipIf(!isInstalled(runtime))(
      `when it fails, then the process ends with an error on ${runtime}`,
      async () => {
        const { out, err, code } = await run('fail')
        expect(out).toBe('true\ntold: NETWORK_THREAD_FAILED\n')
        expect(err).toContain('the network worker has failed')
        expect(code).not.toBe(0)
      },
    )
  }
})
