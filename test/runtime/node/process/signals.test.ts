import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RUNTIME_COMMANDS } from '../../../support/programs/runtimeCommands.ts'
import { withFolder } from '../../folder.ts'

setDefaultTimeout(120_000)

const SIGNALS = fileURLToPath(new URL('../../../../runtime/node/process/signals.ts', import.meta.url))

/** Stops as long as its input is open, and then for a moment longer. */
const SLOW = `
  import { once } from 'node:events'
  import { stopSignal } from ${JSON.stringify(SIGNALS)}
  const ended = once(process.stdin, 'end')
  const stop = stopSignal({ withInput: true })
  console.log('runs')
  await stop.wait
  console.log('stops')
  await ended
  await new Promise(resolve => setTimeout(resolve, 50))
  process.exit(0)`

describe('given a process that stops', () => {
  const run = (between: (child: ReturnType<typeof spawn>) => Promise<void> | void): Promise<number | null> =>
    withFolder(async folder => {
      const script = join(folder, 'slow.ts')
      writeFileSync(script, SLOW)
      const [program, ...rest] = RUNTIME_COMMANDS.bun
      const child = spawn(program, [...rest, script], { stdio: ['pipe', 'pipe', 'inherit'] })
      const exited = once(child, 'exit')
      await once(child.stdout, 'data')
      child.kill('SIGTERM')
      await once(child.stdout, 'data')
      await between(child)
      const [code] = (await exited) as [number | null]
      return code
    })

  test('when its parent ends, too, then it goes on stopping', async () => {
    // What comes sooner is taken for the same signal.
    const code = await run(async child => {
      await Bun.sleep(1100)
      child.stdin?.end()
    })
    expect(code).toBe(0)
  })

  test('when a second signal comes, then it ends at once', async () => {
    const code = await run(async child => {
      await Bun.sleep(1100)
      child.kill('SIGINT')
    })
    expect(code).toBe(130)
  })
})
