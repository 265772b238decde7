import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { withAllocatorSettings } from '../../../runtime/allocator.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { testAddress, testKey } from '../../runtime/genesis.ts'
import { ROOT } from '../../runtime/nodeProcess.ts'
import { benchGenesis } from '../genesis.ts'
import { STALLED_MS } from './stall.ts'

export type BenchNode = {
  readonly url: string
  readonly pid: number
  /** The properties of its log lines that tell of a block. */
  blockLines(): readonly BlockLine[]
  rpc<T>(method: string, ...params: readonly unknown[]): Promise<T>
}

/** What `logBlock` writes for machines. */
export type BlockLine = {
  readonly number: number
  readonly transactions: number
  readonly isProduced: boolean
  /** When it was logged, milliseconds since 1970. */
  readonly atMs: number
  readonly proposalToCommitMs: number | undefined
  readonly messagesSent: number
  readonly bytesSent: number
}

export type BenchNetwork = {
  readonly nodes: readonly BenchNode[]
  /** Starts one more, which is no validator and knows nothing of the chain. */
  join(): Promise<BenchNode>
  /** Ends a validator in an orderly way. */
  end(index: number): Promise<void>
  /** Starts it again on its folder. */
  restart(index: number, args: readonly string[]): Promise<BenchNode>
  stop(): Promise<void>
}

export type NetworkOptions = {
  /** Empty; the caller removes it. */
  readonly folder: string
  readonly validators: number
  readonly periodMs: number
  readonly alloc: object
  /** Further options of every node. */
  readonly args?: readonly string[]
}

type Line = { readonly properties?: Readonly<Record<string, unknown>> }

const blockLineOf = (text: string): BlockLine | undefined => {
  let line: Line & Readonly<Record<string, unknown>>
  try {
    line = JSON.parse(text) as typeof line
  } catch {
    // Cut off by the end of the process.
    return undefined
  }
  const of = line.properties ?? line
  if (typeof of['block'] !== 'string' || of['messagesSent'] === undefined) return undefined
  const ms = of['proposalToCommitMs']
  return {
    number: Number(of['number']),
    transactions: Number(of['transactions']),
    isProduced: of['block'].startsWith('Produced'),
    atMs: Date.parse(String(line['time'])),
    proposalToCommitMs: typeof ms === 'number' ? ms : undefined,
    messagesSent: Number(of['messagesSent']),
    bytesSent: Number(of['bytesSent']),
  }
}

let requestId = 0

/** Others than this software refuse a body without its type. */
const JSON_HEADERS = { 'content-type': 'application/json' }

/** Sends a request. @throws where there is no answer while a network would count as stalled */
export const post = async (url: string, body: string): Promise<unknown> => {
  const signal = AbortSignal.timeout(STALLED_MS)
  return await (await fetch(url, { method: 'POST', headers: JSON_HEADERS, body, signal })).json()
}

export const call = async <T>(url: string, method: string, params: readonly unknown[]): Promise<T> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++requestId, method, params })
  const { result, error } = (await post(url, body)) as { result?: T; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result as T
}

const isAnswering = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/liveness`)).ok
  } catch {
    // Nobody listens yet.
    return false
  }
}

const genesisOf = ({ validators, periodMs, alloc }: NetworkOptions): object => {
  const base = benchGenesis(alloc) as { config: object }
  const addresses = Array.from({ length: validators }, (_, index) => testAddress(index + 1))
  const seconds = Math.max(1, Math.round(periodMs / 1000))
  return {
    ...base,
    config: {
      ...base.config,
      qbft: {
        epochlength: 30_000,
        blockperiodseconds: seconds,
        ...(periodMs < 1000 ? { xblockperiodmilliseconds: periodMs } : {}),
        requesttimeoutseconds: 4,
      },
    },
    extraData: toHex(
      encodeExtraData({
        vanity: new Uint8Array(32),
        validators: addresses,
        vote: undefined,
        round: 0,
        seals: [],
      }),
    ),
  }
}

/** Validators in processes of their own, on loopback, everyone knowing everyone. */
export const startBenchNetwork = async (options: NetworkOptions): Promise<BenchNetwork> => {
  const { folder, validators } = options
  const genesis = join(folder, 'genesis.json')
  writeFileSync(genesis, JSON.stringify(genesisOf(options)))
  const count = validators + 1
  const ports = await freePorts(2 * count)
  const enodes = Array.from({ length: count }, (_, index) =>
    formatEnode({
      publicKey: publicKeyOf(testKey(index + 1)),
      host: '127.0.0.1',
      port: ports[index] as number,
    }),
  )
  const children = new Map<number, Bun.Subprocess>()

  const start = async (index: number, args: readonly string[] = []): Promise<BenchNode> => {
    const dataPath = join(folder, `node${index}`)
    mkdirSync(dataPath, { recursive: true })
    writeFileSync(join(dataPath, 'key'), toHex(testKey(index + 1)), { mode: 0o600 })
    const others = enodes.filter((_, other) => other !== index)
    writeFileSync(join(dataPath, 'static-nodes.json'), JSON.stringify(others))
    const logPath = join(dataPath, 'log.json')
    const log = openSync(logPath, 'w')
    const rpcPort = ports[count + index] as number
    const child = Bun.spawn(
      [
        process.execPath,
        join(ROOT, 'runtime/main.ts'),
        `--genesis-file=${genesis}`,
        `--data-path=${dataPath}`,
        '--p2p-interface=127.0.0.1',
        `--p2p-port=${ports[index]}`,
        '--rpc-http-enabled',
        `--rpc-http-port=${rpcPort}`,
        '--logging-format=JSON',
        ...(options.args ?? []),
        ...args,
      ],
      {
        cwd: ROOT,
        env: withAllocatorSettings(process.env, 'bun'),
        stdin: 'ignore',
        stdout: log,
        stderr: log,
      },
    )
    children.set(index, child)
    const url = `http://127.0.0.1:${rpcPort}`
    const untilMs = performance.now() + STALLED_MS
    while (!(await isAnswering(url))) {
      if (performance.now() > untilMs)
        throw new Error(`a node does not answer: ${readFileSync(logPath, 'utf8')}`)
      if (child.exitCode !== null) throw new Error(`a node ended: ${readFileSync(logPath, 'utf8')}`)
      await Bun.sleep(25)
    }
    return {
      url,
      pid: child.pid,
      blockLines: () =>
        readFileSync(logPath, 'utf8')
          .split('\n')
          .flatMap(text => blockLineOf(text) ?? []),
      rpc: (method, ...params) => call(url, method, params),
    }
  }

  const end = async (index: number): Promise<void> => {
    children.get(index)?.kill('SIGTERM')
    await children.get(index)?.exited
  }
  const stop = async (): Promise<void> => void (await Promise.all([...children.keys()].map(end)))
  try {
    const nodes = await Promise.all(Array.from({ length: validators }, (_, index) => start(index)))
    return { nodes, join: () => start(validators), end, restart: start, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
