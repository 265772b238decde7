import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { withAllocatorSettings } from '../allocator.ts'
import { CommandError } from '../cli/errors.ts'
import { IS_BINARY } from '../cli/program.ts'
import { ENVIRONMENT_PREFIXES, type Environment } from '../cli/sources/resolve.ts'
import { shellWord } from '../cli/shell.ts'
import { writeFileAtomically } from '../files/atomic.ts'
import { RUNTIME } from '../version.ts'
import type { Member } from './folder.ts'

/** What a runtime is given to start the node. The compiled binary starts it by itself. */
const PROGRAM_ARGUMENTS: readonly string[] = IS_BINARY
  ? []
  : [...(RUNTIME === 'deno' ? ['run', '-A'] : []), fileURLToPath(new URL('../main.ts', import.meta.url))]

/** Interval between checks whether a starting node answers. */
const START_POLL_MS = 25

/** Timeout for a node to start: usually a second, longer if twenty nodes start at once. */
const START_MS_MAX = 60_000

/** Timeout for a node to stop before it is killed. */
const STOP_MS_MAX = 15_000

/** Method groups of each node: all, so that every tool works. */
export const MEMBER_APIS: readonly string[] = [
  'ETH',
  'NET',
  'WEB3',
  'QBFT',
  'TXPOOL',
  'DEBUG',
  'TRACE',
  'ADMIN',
  'MINER',
  'PERM',
]

export type MemberOptions = {
  readonly member: Member
  readonly genesisPath: string
  readonly p2pPort: number
  readonly rpcPort: number
  /** Serves the explorer, with new blocks over WebSocket on a free port. */
  readonly explorer: boolean
  /** Web origins whose pages may call it, as regular expressions. */
  readonly corsOrigins: readonly string[]
  readonly metrics: boolean
}

export type MemberProcess = {
  readonly member: Member
  readonly url: string
  /** Undefined if the process could not be started. */
  readonly pid: number | undefined
  /** Resolves when the node answers requests. @throws CommandError if it ends before */
  answers(): Promise<void>
  /** Resolves to the exit code or signal, such as `code 0` or `SIGKILL`. */
  readonly ended: Promise<string>
  /** Stops the node, with SIGKILL after a timeout. */
  stop(): Promise<void>
}

const argumentsOf = ({
  member,
  genesisPath,
  p2pPort,
  rpcPort,
  explorer,
  corsOrigins,
  metrics,
}: MemberOptions): readonly string[] => [
  `--genesis-file=${genesisPath}`,
  `--data-path=${member.dataPath}`,
  '--p2p-interface=127.0.0.1',
  `--p2p-port=${p2pPort}`,
  '--rpc-http-enabled',
  `--rpc-http-port=${rpcPort}`,
  `--rpc-http-api=${MEMBER_APIS.join(',')}`,
  // As on the development chain, so that the defaults of clients work however low the base fee falls.
  '--min-gas-price=0',
  '--logging-format=PLAIN',
  ...(corsOrigins.length > 0 ? [`--rpc-http-cors-origins=${corsOrigins.join(',')}`] : []),
  // On a free port, which the log names.
  ...(metrics ? ['--metrics-enabled', '--metrics-port=0'] : []),
  ...(explorer
    ? ['--explorer-enabled', '--rpc-ws-enabled', '--rpc-ws-host=127.0.0.1', '--rpc-ws-port=0']
    : []),
]

const commandOf = (options: MemberOptions): readonly [program: string, ...args: string[]] => [
  process.execPath,
  ...PROGRAM_ARGUMENTS,
  ...argumentsOf(options),
]

/** Name of the script in a member's folder that starts the node by itself. */
export const START_SCRIPT = 'start.sh'

/** Writes the script that starts a stopped node again. */
const writeStartScript = (options: MemberOptions): void =>
  writeFileAtomically(
    join(options.member.dataPath, START_SCRIPT),
    `#!/bin/sh\nexec ${commandOf(options).map(shellWord).join(' ')}\n`,
    0o755,
  )

const isAnswering = async (url: string): Promise<boolean> => {
  try {
    await fetch(`${url}/liveness`)
    return true
  } catch {
    // The node does not listen yet.
    return false
  }
}

/** The last line of the log, which usually says why the node ended. */
const lastLine = (path: string): string => {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return (
    lines.findLast(
      line => line !== '' && !line.startsWith('To display full help') && !line.includes('--help'),
    ) ?? ''
  )
}

/** Removes node options from the environment: all nodes would have the same ports. */
const environmentOf = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !ENVIRONMENT_PREFIXES.some(prefix => name.startsWith(prefix)),
    ),
  )

/** Starts a node of the network as a child process that logs to `log.txt` in its folder. */
export const startMember = (options: MemberOptions): MemberProcess => {
  const { member, rpcPort } = options
  const logPath = join(member.dataPath, 'log.txt')
  writeStartScript(options)
  const log = openSync(logPath, 'w')
  // Standard input ends with this process, however it ends, and --stop-with-parent then stops the node.
  const [program, ...args] = commandOf(options)
  const child: ChildProcess = spawn(program, [...args, '--stop-with-parent'], {
    stdio: ['pipe', log, log],
    env: withAllocatorSettings(environmentOf(process.env), RUNTIME),
  })
  closeSync(log)
  const url = `http://127.0.0.1:${rpcPort}`
  let outcome: string | undefined
  const ended = new Promise<string>(resolve => {
    const end = (text: string): void => {
      outcome ??= text
      resolve(outcome)
    }
    child.once('error', error => end(error.message))
    child.once('exit', (code, signal) => end(signal ?? `code ${code}`))
  })
  const answers = async (): Promise<void> => {
    const endMs = Date.now() + START_MS_MAX
    while (!(await isAnswering(url))) {
      if (outcome !== undefined || Date.now() > endMs)
        throw new CommandError(
          'START_FAILED',
          `${member.name} ${outcome === undefined ? 'does not answer' : `ended (${outcome})`}: ${lastLine(logPath)}`,
        )
      await new Promise(resolve => setTimeout(resolve, START_POLL_MS))
    }
  }
  return {
    member,
    url,
    pid: child.pid,
    ended,
    answers,
    stop: async () => {
      child.kill('SIGTERM')
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
      await ended
      clearTimeout(force)
    },
  }
}
