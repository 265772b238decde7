import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  isInstalled,
  RUNTIME_COMMANDS,
  RUNTIMES,
  type RuntimeName,
} from '../../../support/programs/runtimeCommands.ts'

setDefaultTimeout(120_000)

const MAIN = fileURLToPath(new URL('../../../../runtime/main.ts', import.meta.url))

type Stream = 'stdout' | 'stderr'

/** Runs a command whose reader of that stream goes away before it writes; gives its exit code and what it wrote to the other. */
const runUnread = async (runtime: RuntimeName, args: readonly string[], unread: Stream) => {
  const [program, ...rest] = RUNTIME_COMMANDS[runtime]
  const child = spawn(program, [...rest, MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  child[unread].destroy()
  const other = child[unread === 'stdout' ? 'stderr' : 'stdout']
  let written = ''
  other.on('data', (part: Buffer) => {
    written += part.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, written }
}

describe('given a command whose reader has gone', () => {
  for (const runtime of RUNTIMES)
    test.skipIf(!isInstalled(runtime))(
      `when it writes on ${runtime}, then it ends as it would have ended`,
      async () => {
        expect(await runUnread(runtime, ['--help'], 'stdout')).toEqual({ code: 0, written: '' })
        expect(await runUnread(runtime, ['--nonsense'], 'stderr')).toEqual({ code: 2, written: '' })
      },
    )
})
