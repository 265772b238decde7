import { collectOutput } from '../programs/collectOutput.ts'
import { join } from 'node:path'
import { ROOT } from '../../runtime/nodeProcess.ts'
import { RUNTIME_COMMANDS, type RuntimeName } from '../programs/runtimeCommands.ts'

export type ReaderProcess = {
  readonly url: string
  readonly pid: number
  readonly wsUrl: string | undefined
  readonly graphqlUrl: string | undefined
  readonly output: () => string
  readonly stop: () => Promise<number>
}

/** A process of `read` on a free port that may not listen yet. */
export const spawnReader = (args: readonly string[], runtime: RuntimeName = 'bun') => {
  const child = Bun.spawn(
    [...RUNTIME_COMMANDS[runtime], join(ROOT, 'runtime/main.ts'), 'read', '--rpc-http-port=0', ...args],
    { cwd: ROOT, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  )
  return {
    pid: child.pid,
    exitCode: () => child.exitCode,
    output: collectOutput(child),
    stop: async (): Promise<number> => {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

/** Starts `read` on free ports and waits until it listens. Throws with its output when it ends instead. */
export const startReader = async (
  args: readonly string[],
  runtime: RuntimeName = 'bun',
): Promise<ReaderProcess> => {
  const { pid, exitCode, output, stop } = spawnReader(args, runtime)
  const addressOf = (service: string): string | undefined =>
    new RegExp(`${service} is listening on (127\\.0\\.0\\.1:\\d+)`).exec(output())?.[1]
  const asked = [
    'http',
    ...(args.includes('--rpc-ws-enabled') ? ['ws'] : []),
    ...(args.includes('--graphql-http-enabled') ? ['graphql'] : []),
  ]
  while (asked.some(service => addressOf(service) === undefined)) {
    if (exitCode() !== null) throw new Error(`the reader ended with code ${exitCode()}: ${output()}`)
    await Bun.sleep(20)
  }
  const [ws, graphql] = [addressOf('ws'), addressOf('graphql')]
  return {
    url: `http://${addressOf('http')}`,
    pid,
    wsUrl: ws === undefined ? undefined : `ws://${ws}`,
    graphqlUrl: graphql === undefined ? undefined : `http://${graphql}`,
    output,
    stop,
  }
}
