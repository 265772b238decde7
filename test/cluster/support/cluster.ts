import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { withAllocatorSettings } from '../../../runtime/allocator.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { genesisText, testAddress, testKey } from '../../runtime/genesis.ts'
import { type NodeProcess, type RuntimeName, startNode } from '../../runtime/nodeProcess.ts'

export type ClusterOptions = {
  /** In a folder that the caller removes. */
  readonly folder: string
  /** Nodes 1 to this number are validators from genesis on. */
  readonly validators: number
  /** All nodes there are; those above `validators` begin as others. */
  readonly nodes: number
  /** Entries of `config.qbft`. */
  readonly qbft?: object
  /** Entries of `config`. */
  readonly config?: object
  /** Entries of the genesis file itself. */
  readonly top?: object
  /** Further options of every node; its log is plain unless they say so. */
  readonly args?: readonly string[]
  /** The port of a node, asked at each start; a free one that it keeps when left out. */
  readonly portOf?: (index: number) => number
  readonly runtimeOf?: (index: number) => RuntimeName
  /** Environment variables of a node, asked at each start. */
  readonly environmentOf?: (index: number) => Readonly<Record<string, string>>
  /** Another genesis file for a node, asked at each start. */
  readonly genesisOf?: (index: number) => string | undefined
  /** Further options of one node. */
  readonly argsOf?: (index: number) => readonly string[]
  /** The entry point of every node; that of the checkout when left out. */
  readonly program?: string
  /** The entry point of one node, asked at each start; `program` when undefined. */
  readonly programOf?: (index: number) => string | undefined
  /** The token of the requests to every node, on a network with authentication. */
  readonly token?: string
}

export type ClusterBlock = {
  readonly number: string
  readonly hash: string
  readonly miner: string
  readonly extraData: string
  readonly transactions: readonly string[]
}

/** Real nodes in processes of their own, by index from 1; node 1 is everybody's bootnode. */
export type Cluster = {
  readonly start: (...indexes: readonly number[]) => Promise<void>
  /** SIGKILL, all at once. */
  readonly kill: (...indexes: readonly number[]) => Promise<void>
  /** SIGTERM; gives the exit codes. */
  readonly stop: (...indexes: readonly number[]) => Promise<readonly number[]>
  /** Removes what a stopped node knows but its key. */
  readonly wipe: (index: number) => void
  readonly dataPath: (index: number) => string
  readonly node: (index: number) => NodeProcess
  readonly running: () => readonly number[]
  readonly address: (index: number) => string
  readonly head: (index: number) => Promise<number>
  readonly block: (index: number, number: number | 'latest') => Promise<ClusterBlock | null>
  /** Ends every process, whatever it does. */
  readonly end: () => Promise<void>
}

/** Names a folder that keeps what the nodes wrote, for whoever looks for the cause of a failure. */
const LOGS = process.env['CLUSTER_LOGS']

/** Fast enough for tests, slow enough for two cores with several nodes on them. */
const QBFT = { xblockperiodmilliseconds: 200, requesttimeoutseconds: 1 }

export const createCluster = async (options: ClusterOptions): Promise<Cluster> => {
  const { folder, validators, nodes, runtimeOf = () => 'bun' } = options
  const indexes = Array.from({ length: nodes }, (_, index) => index + 1)
  const ports = await freePorts(nodes)
  const genesis = join(folder, 'genesis.json')
  writeFileSync(
    genesis,
    genesisText({
      ...options,
      validators: indexes.slice(0, validators),
      qbft: { ...QBFT, ...options.qbft },
    }),
  )
  const dataPath = (index: number): string => join(folder, `node${index}`)
  const writeKey = (index: number): void => {
    mkdirSync(dataPath(index), { recursive: true })
    writeFileSync(join(dataPath(index), 'key'), toHex(testKey(index)), { mode: 0o600 })
  }
  for (const index of indexes) writeKey(index)
  const bootnode = formatEnode({
    publicKey: publicKeyOf(testKey(1)),
    host: '127.0.0.1',
    port: ports[0] as number,
  })
  const processes = new Map<number, NodeProcess>()
  const node = (index: number): NodeProcess => {
    const found = processes.get(index)
    if (found === undefined) throw new Error(`node ${index} does not run`)
    return found
  }
  const block: Cluster['block'] = (index, number) =>
    node(index).rpc('eth_getBlockByNumber', number === 'latest' ? number : `0x${number.toString(16)}`, false)

  const startOne = async (index: number): Promise<void> => {
    const args = [
      `--genesis-file=${options.genesisOf?.(index) ?? genesis}`,
      '--rpc-http-enabled',
      '--rpc-http-api=ETH,NET,WEB3,QBFT,TXPOOL,DEBUG,ADMIN',
      '--p2p-interface=127.0.0.1',
      `--p2p-port=${options.portOf?.(index) ?? ports[index - 1]}`,
      `--bootnodes=${bootnode}`,
      ...(options.args ?? ['--logging-format=PLAIN']),
      ...(options.argsOf?.(index) ?? []),
    ]
    const { token } = options
    const program = options.programOf?.(index) ?? options.program
    const runtime = runtimeOf(index)
    // As `quorate network` starts its nodes.
    const environment = withAllocatorSettings(options.environmentOf?.(index) ?? {}, runtime)
    const how = { runtime, environment, token, ...(program === undefined ? {} : { program }) }
    processes.set(index, await startNode(dataPath(index), args, how))
  }

  const take = (index: number): NodeProcess => {
    const taken = node(index)
    processes.delete(index)
    if (LOGS !== undefined) appendFileSync(join(LOGS, `node${index}.log`), taken.output())
    return taken
  }

  return {
    start: async (...which) => {
      await Promise.all(which.filter(index => !processes.has(index)).map(startOne))
    },
    kill: async (...which) => {
      await Promise.all(which.map(index => take(index).kill()))
    },
    stop: (...which) => Promise.all(which.map(index => take(index).stop())),
    wipe: index => {
      rmSync(dataPath(index), { recursive: true, force: true })
      writeKey(index)
    },
    dataPath,
    node,
    running: () => [...processes.keys()],
    address: index => toHex(testAddress(index)),
    head: async index => Number(await node(index).rpc<string>('eth_blockNumber')),
    block,
    end: async () => {
      await Promise.all([...processes.keys()].map(index => take(index).kill()))
    },
  }
}
