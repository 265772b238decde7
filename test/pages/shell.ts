import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kill } from 'node:process'
import type { FreshCopy } from './freshCopy.ts'

export type ShellOptions = {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
}

export type Background = {
  /** What was written so far. */
  output(): string
  /** Resolves with the first match in what was written so far. @throws Error with the output when the script ends before */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** Stops the script and everything that it started. */
  stop(): Promise<void>
}

const POLL_MS = 20

/** Sends a signal to the script and everything that it started. */
const signalGroup = (child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void => {
  try {
    kill(-(child.pid as number), signal)
  } catch (error) {
    // All of them have ended.
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

const spawnScript = (copy: FreshCopy, script: string, options: ShellOptions) => {
  const input = join(copy.folder, 'input.txt')
  writeFileSync(input, options.input ?? '')
  const stdin = openSync(input, 'r')
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: copy.folder,
    env: { ...copy.environment, ...options.environment },
    stdio: [stdin, 'pipe', 'pipe'],
    // A process group of its own.
    detached: true,
  })
  closeSync(stdin)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  return { child, ended, output: () => output }
}

/** Runs a script in the copy to its end; resolves with what it wrote. @throws Error when it fails */
export const runScript = async (
  copy: FreshCopy,
  script: string,
  options: ShellOptions = {},
): Promise<string> => {
  const { ended, output } = spawnScript(copy, script, options)
  const code = await ended
  if (code !== 0) throw new Error(`ended with code ${code}: ${script}\n${output()}`)
  return output()
}

/** Starts a script in the copy that runs until it is stopped. */
export const startScript = (copy: FreshCopy, script: string, options: ShellOptions = {}): Background => {
  const { child, ended, output } = spawnScript(copy, script, options)
  let running = true
  void ended.then(() => {
    running = false
  })
  return {
    output,
    shows: async pattern => {
      for (;;) {
        const found = pattern.exec(output())
        if (found !== null) return found
        if (!running)
          throw new Error(`ended with ${child.exitCode} and without ${pattern}: ${script}\n${output()}`)
        await Bun.sleep(POLL_MS)
      }
    },
    stop: async () => {
      signalGroup(child, 'SIGTERM')
      const late = setTimeout(() => signalGroup(child, 'SIGKILL'), 20_000)
      await ended
      clearTimeout(late)
    },
  }
}
