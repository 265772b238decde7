import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { Environment } from '../../runtime/cli/sources/resolve.ts'
import { isInstalled, RUNTIME_COMMANDS, type RuntimeName } from '../support/programs/runtimeCommands.ts'
import { until } from '../support/until.ts'

export const ROOT: string = join(import.meta.dir, '../..')

/**
 * For `setDefaultTimeout` at the head of a file that starts processes: they take their time on a busy machine, and
 * bunfig.toml has no key for it. A test that hangs still ends.
 */
export const PROCESS_TEST_TIMEOUT_MS = 120_000

export { isInstalled, type RuntimeName }

/** Variables of the machine that are options of a node must not reach the processes of a test. */
const environment = (extra: Environment): Record<string, string | undefined> => ({
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(?:QUORATE|BESU)_/.test(name) ? [] : [[name, value]],
    ),
  ),
  NO_COLOR: '1',
  ...extra,
})

export type SpawnOptions = {
  readonly runtime?: RuntimeName
  readonly environment?: Environment
  readonly input?: string
  /** The entry point; that of the checkout when left out. */
  readonly program?: string
  /** The token of the requests of `rpc`, on a node with authentication. */
  readonly token?: string | undefined
}

type Child = Subprocess<'ignore' | Blob, 'pipe', 'pipe'>

/** Those of a test that is cut short end with it. */
const children = new Set<Child>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

const spawn = (args: readonly string[], options: SpawnOptions): Child => {
  const child = Bun.spawn(
    [
      ...RUNTIME_COMMANDS[options.runtime ?? 'bun'],
      options.program ?? join(ROOT, 'runtime/main.ts'),
      ...args,
    ],
    {
      cwd: ROOT,
      env: environment(options.environment ?? {}),
      stdin: options.input === undefined ? 'ignore' : new Blob([options.input]),
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  children.add(child)
  void child.exited.then(() => children.delete(child))
  return child
}

export type CommandResult = { readonly code: number; readonly out: string; readonly error: string }

/** Runs a command line to its end. */
export const runCommand = async (
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<CommandResult> => {
  const child = spawn(args, options)
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, error }
}

export type NodeProcess = {
  readonly url: string
  /** Undefined where WebSocket is off. */
  readonly wsUrl: string | undefined
  /** Without a path; undefined where metrics are off. */
  readonly metricsUrl: string | undefined
  /** Without a path; undefined where GraphQL is off. */
  readonly graphqlUrl: string | undefined
  readonly pid: number
  /** Of each request to it, on a node with authentication. */
  readonly headers: Readonly<Record<string, string>>
  /** Calls a method; throws with the error's code and text. */
  rpc<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Everything written so far. */
  output(): string
  /** The exit code, once the process has ended. */
  readonly exited: Promise<number>
  /** SIGTERM, and the exit code. */
  stop(): Promise<number>
  /** SIGKILL: nothing of the process runs any more. */
  kill(): Promise<void>
}

const collect = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> => {
  const decoder = new TextDecoder()
  for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }))
}

/** @param service as the ports file names it. */
const readPort = (dataPath: string, service = 'json-rpc'): number | undefined => {
  try {
    const match = new RegExp(`^${service}=(\\d+)$`, 'm').exec(
      readFileSync(join(dataPath, 'besu.ports'), 'utf8'),
    )
    return match === null ? undefined : Number(match[1])
  } catch {
    // Not there until the node listens.
    return undefined
  }
}

const answers = async (port: number): Promise<boolean> => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/liveness`)).ok
  } catch {
    // Nobody listens yet.
    return false
  }
}

let requestId = 0

/** Starts a node on a free port and waits until it answers. Throws with its output when it ends instead. */
export const startNode = async (
  dataPath: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): Promise<NodeProcess> => {
  // A killed node leaves its file behind, whose port nobody listens on any more.
  rmSync(join(dataPath, 'besu.ports'), { force: true })
  const freePorts = ['--rpc-http-port=', '--p2p-port='].flatMap(option =>
    args.some(arg => arg.startsWith(option)) ? [] : [`${option}0`],
  )
  const child = spawn([`--data-path=${dataPath}`, ...freePorts, ...args], options)
  let output = ''
  const add = (text: string): void => {
    output += text
  }
  // The file is written once the port answers; a client of TLS needs certificates.
  const isTls = args.some(arg => arg.startsWith('--rpc-http-tls-enabled'))
  const collected = Promise.all([collect(child.stdout, add), collect(child.stderr, add)])
  const port = await until(
    async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        await collected
        throw new Error(`the node ended with code ${child.exitCode}: ${output}`)
      }
      const found = readPort(dataPath)
      return found !== undefined && (isTls || (await answers(found))) ? found : undefined
    },
    { what: 'an answer of the node', timeoutMs: PROCESS_TEST_TIMEOUT_MS, pollMs: 20 },
  )
  const url = `http${isTls ? 's' : ''}://127.0.0.1:${port}`
  const wsPort = readPort(dataPath, 'ws-rpc')
  const metricsPort = readPort(dataPath, 'metrics')
  const graphqlPort = readPort(dataPath, 'graphql-http')
  const { token } = options
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return {
    url,
    wsUrl: wsPort === undefined ? undefined : `ws://127.0.0.1:${wsPort}`,
    graphqlUrl: graphqlPort === undefined ? undefined : `http://127.0.0.1:${graphqlPort}`,
    metricsUrl: metricsPort === undefined ? undefined : `http://127.0.0.1:${metricsPort}`,
    pid: child.pid,
    headers,
    rpc: async (method, ...params) => {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        // A node ends connections that are idle, perhaps just when one is used again.
        keepalive: false,
        body: JSON.stringify({ jsonrpc: '2.0', id: ++requestId, method, params }),
      })
      const answer = (await response.json()) as {
        result?: unknown
        error?: { code: number; message: string }
      }
      if (answer.error !== undefined)
        throw new Error(`${method}: ${answer.error.code} ${answer.error.message}`)
      return answer.result as never
    },
    output: () => output,
    exited: child.exited,
    stop: async () => {
      child.kill('SIGTERM')
      return child.exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
