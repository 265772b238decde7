import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { withAllocatorTunable } from '../allocator.ts'
import { CommandError } from '../cli/errors.ts'
import { ENVIRONMENT_PREFIXES, type Environment } from '../cli/resolve.ts'
import { RUNTIME } from '../version.ts'
import type { Member } from './folder.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Deno asks for permission before a program does anything. */
const RUNTIME_ARGUMENTS: readonly string[] = RUNTIME === 'deno' ? ['run', '-A'] : []

const POLL_MS = 25

/** A node is up within a second; on a machine that is busy with twenty it takes longer. */
const START_MS_MAX = 60_000

/** A node that does not stop by then hangs. */
const STOP_MS_MAX = 15_000

/** Whoever tries a network wants every tool to work on it. */
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
]

export type MemberOptions = {
  readonly member: Member
  readonly genesisPath: string
  readonly p2pPort: number
  readonly rpcPort: number
}

export type MemberProcess = {
  readonly member: Member
  readonly url: string
  /** Resolves when it answers. @throws CommandError when it ends instead */
  answers(): Promise<void>
  /** Resolves to how it ended, such as `code 0` or `SIGKILL`. */
  readonly ended: Promise<string>
  /** Asks it to stop, and makes it when it does not. */
  stop(): Promise<void>
}

const argumentsOf = ({ member, genesisPath, p2pPort, rpcPort }: MemberOptions): readonly string[] => [
  `--genesis-file=${genesisPath}`,
  `--data-path=${member.dataPath}`,
  '--p2p-interface=127.0.0.1',
  `--p2p-port=${p2pPort}`,
  '--rpc-http-enabled',
  `--rpc-http-port=${rpcPort}`,
  `--rpc-http-api=${MEMBER_APIS.join(',')}`,
  // As on the development chain, so that clients' own defaults work however low the base fee falls.
  '--min-gas-price=0',
  '--logging-format=PLAIN',
  '--stop-with-parent',
]

const isAnswering = async (url: string): Promise<boolean> => {
  try {
    await fetch(`${url}/liveness`)
    return true
  } catch {
    // Nobody listens yet.
    return false
  }
}

/** What it wrote last, to say why it ended. */
const lastLine = (path: string): string => {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return (
    lines.findLast(
      line => line !== '' && !line.startsWith('To display full help') && !line.includes('--help'),
    ) ?? ''
  )
}

/** Options of a node in the environment are meant for a node: all of these would have the same bootnodes, or ports. */
const environmentOf = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !ENVIRONMENT_PREFIXES.some(prefix => name.startsWith(prefix)),
    ),
  )

/** Starts a node of the network as a process of its own, with its log in `log.txt` of its folder. */
export const startMember = (options: MemberOptions): MemberProcess => {
  const { member, rpcPort } = options
  const logPath = join(member.dataPath, 'log.txt')
  const log = openSync(logPath, 'w')
  // Its standard input ends with this process, however that ends, and takes the node with it.
  const child: ChildProcess = spawn(process.execPath, [...RUNTIME_ARGUMENTS, MAIN, ...argumentsOf(options)], {
    stdio: ['pipe', log, log],
    env: withAllocatorTunable(environmentOf(process.env)),
  })
  closeSync(log)
  const url = `http://127.0.0.1:${rpcPort}`
  let how: string | undefined
  const ended = new Promise<string>(resolve => {
    const end = (text: string): void => {
      how ??= text
      resolve(how)
    }
    child.once('error', error => end(error.message))
    child.once('exit', (code, signal) => end(signal ?? `code ${code}`))
  })
  const answers = async (): Promise<void> => {
    const endMs = Date.now() + START_MS_MAX
    while (!(await isAnswering(url))) {
      if (how !== undefined || Date.now() > endMs)
        throw new CommandError(
          'START_FAILED',
          `${member.name} ${how === undefined ? 'does not answer' : `ended (${how})`}: ${lastLine(logPath)}`,
        )
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
    }
  }
  return {
    member,
    url,
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
