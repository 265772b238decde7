import { collectOutput } from '../support/programs/collectOutput.ts'
import { join } from 'node:path'
import { ROOT } from './nodeProcess.ts'

export type NetworkProcess = {
  readonly output: () => string
  readonly exited: Promise<number>
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number>
}

/** Runs the command `network` at free ports unless they are given. */
export const startNetwork = (folder: string, ...args: readonly string[]): NetworkProcess => {
  const child = Bun.spawn(
    [
      process.execPath,
      join(ROOT, 'runtime/main.ts'),
      'network',
      `--data-path=${folder}`,
      '--p2p-port=0',
      ...(args.some(arg => arg.startsWith('--rpc-http-port')) ? [] : ['--rpc-http-port=0']),
      ...args,
    ],
    { cwd: ROOT, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  )
  return {
    output: collectOutput(child),
    exited: child.exited,
    end: async signal => {
      child.kill(signal)
      return child.exited
    },
  }
}

/** Endpoints that it shows: the node for JSON-RPC first, then the validators. */
export const urlsIn = (output: string): readonly string[] =>
  output.match(/(?<=JSON-RPC )http:\/\/127\.0\.0\.1:\d+/g) ?? []
