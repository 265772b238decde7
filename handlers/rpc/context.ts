import type { Address, Hash } from '../../core/bytes/bytes.ts'
import type { BadBlock } from '../../core/chain/badBlocks.ts'
import type { Chain } from '../../core/chain/chain.ts'
import type { Vote } from '../../core/chain/codec/extraData.ts'
import type { SenderTransaction, Transaction } from '../../core/chain/transaction.ts'
import type { TransactionPool } from '../../core/txpool/pool.ts'
import type { TransactionRejected } from '../../core/txpool/rejection.ts'
import type { CallWorkers } from './dispatch/offload.ts'
import type { FilterRegistry } from './filters/registry.ts'
import type { GasPriceOracle } from './fees/gasPrice.ts'
import type { KeepBytes } from './json/jsonPieces.ts'
import type { OnNextTurn } from './dispatch/microBatch.ts'

/** What of the node's configuration the methods answer by. Names as Besu's options. */
export type RpcOptions = {
  /** Groups that are served, upper case: ETH, NET, WEB3, QBFT ... `rpc_modules` is always. */
  readonly apis: readonly string[]
  /** What web3_clientVersion answers. */
  readonly clientVersion: string
  /** What net_version answers. */
  readonly networkId: bigint
  /** Wei. */
  readonly minGasPrice: bigint
  /** Wei, the least that eth_maxPriorityFeePerGas suggests. */
  readonly minPriorityFee: bigint
  /** The most gas of one call or estimate; 0 for no limit. */
  readonly gasCap: bigint
  /** The most gas of one eth_simulateV1, all calls together; 0 for no limit but `gasCap`. */
  readonly simulateGasCap: bigint
  /** The most blocks of one eth_getLogs; 0 for no limit. */
  readonly logsRangeMax: bigint
  /** The most blocks of one trace_filter; 0 for no limit. */
  readonly traceFilterRangeMax: bigint
  readonly gasPriceBlocks: number
  /** 0 to 100. */
  readonly gasPricePercentile: number
  /** Wei. */
  readonly gasPriceMax: bigint
  /** How far above the least sufficient gas an estimate may be, as a part of it. */
  readonly estimateGasToleranceRatio: number
  /** The most requests of a batch; 0 or less for no limit. */
  readonly batchSizeMax: number
  /** After so long a request is answered with a timeout. */
  readonly timeoutMs: number
  readonly prettyPrint: boolean
  /** Whether receipts say what their transactions reverted with. */
  readonly revertReasons: boolean
}

/** Besu's defaults. */
export const RPC_DEFAULTS = {
  apis: ['ETH', 'NET', 'WEB3'],
  minGasPrice: 1000n,
  minPriorityFee: 0n,
  gasCap: 100_000_000n,
  // geth's: the hashes of simulated transactions, which contain their gas, are the same on both.
  simulateGasCap: 50_000_000n,
  logsRangeMax: 5000n,
  traceFilterRangeMax: 1000n,
  gasPriceBlocks: 100,
  gasPricePercentile: 50,
  gasPriceMax: 500_000_000_000n,
  estimateGasToleranceRatio: 0.015,
  batchSizeMax: 1024,
  timeoutMs: 30_000,
  prettyPrint: false,
  revertReasons: true,
} as const satisfies Partial<RpcOptions>

/** A connected node. */
export type RpcPeer = {
  /** 64 bytes of the node key. */
  readonly publicKey: Uint8Array
  readonly enode: string
  /** `host:port`, or as much of it as is known. */
  readonly remoteAddress: string
  /** True where it connected by itself. */
  readonly inbound: boolean
  readonly status: { readonly client: string; readonly headNumber: bigint; readonly headHash: Hash }
}

/** The other nodes and the way to them. */
export type RpcNetwork = {
  readonly listening: boolean
  /** enode URL of this node; undefined as long as it does not listen yet. */
  readonly enode: string | undefined
  /** Resolves to the enode URL once this node listens. @throws when the node stops before */
  whenListening(): Promise<string>
  /** Of p2p protocols, as `name/version`. */
  readonly capabilities: readonly string[]
  peerCount(): number
  peers(): readonly RpcPeer[]
  /** Kept connected from now on. False when it already was. @throws an error with an EnodeRefusal as its `code` */
  addPeer(enode: string): Promise<boolean>
  /** False when it was none. @throws as addPeer */
  removePeer(enode: string): Promise<boolean>
}

/** Why an enode URL is not taken. */
export type EnodeRefusal = 'SYNTAX' | 'INVALID_NODE_ID' | 'INVALID_HOST' | 'INVALID_PORT' | 'LOCAL_NODE'

/** Block numbers. */
export type SyncingStatus = {
  readonly startingBlock: bigint
  readonly currentBlock: bigint
  readonly highestBlock: bigint
}

/** Votes that are cast whenever they would change something, until they are discarded. */
export type StandingVotes = {
  readonly list: () => readonly Vote[]
  /** Replaces an earlier one on the same address. @throws an error with the `code` TOO_MANY_VOTES */
  propose(vote: Vote): Promise<void>
  /** Also where there was none. */
  discard(recipient: Address): Promise<void>
}

export type ConfigurationDifference = { readonly peer: string; readonly entries: readonly string[] }

/** What keeps this node from its work, in sentences for operators. */
export type NodeTroubles = {
  /** It cannot write what it must: the store of the chain, or the record of what it signs. */
  readonly failures: readonly string[]
  /** No block is decided. */
  readonly stalls: readonly string[]
}

/** How this node makes blocks. */
export type MinerSettings = {
  /** Wei per gas. */
  readonly minGasPrice: bigint
  /** Wei per gas. */
  readonly minPriorityFee: bigint
  /** At most 32 bytes. */
  readonly extraData: Uint8Array
  /** Undefined keeps the parent's. */
  readonly targetGasLimit: bigint | undefined
}

/** Making blocks, as MINER methods see it. What is changed holds from the next block on, until the node ends. */
export type RpcMiner = {
  settings(): MinerSettings
  change(settings: Partial<MinerSettings>): void
  /** Takes part in making blocks again; false on a chain where nobody does. */
  start(): Promise<boolean>
  /** Takes no part any more, a block under way being finished; false where it took none. */
  stop(): Promise<boolean>
}

export const RPC_LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const
export type RpcLogLevel = (typeof RPC_LOG_LEVELS)[number]

/** Where one of the node's services listens. */
export type RpcService = { readonly host: string; readonly port: number }

/** What the host gives the methods to work with. */
export type RpcHost = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly options: RpcOptions
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  readonly randomBytes: (length: number) => Uint8Array
  /** The sender of each transaction, undefined where the signature has none. All at once, so that a host may share the work out. */
  readonly recoverSenders: (transactions: readonly Transaction[]) => Promise<readonly (Address | undefined)[]>
  /** Takes each into the pool, in order; undefined for one that was taken. */
  readonly submit: (
    transactions: readonly SenderTransaction[],
  ) => Promise<readonly (TransactionRejected | undefined)[]>
  /** Undefined where this node connects to no others. */
  readonly network: RpcNetwork | undefined
  /** Whether this node takes part in making the block after the head. */
  readonly mining: () => Promise<boolean>
  /** In which round the next block is being decided; undefined while this node takes no part in it. */
  readonly round?: () => number | undefined
  /** Undefined where the chain is level with what the peers have told of. */
  readonly syncing: () => SyncingStatus | undefined
  /** What the operator wants voted on the validators; undefined on a chain that is not QBFT. */
  readonly votes: StandingVotes | undefined
  /** Undefined where this node makes no blocks. */
  readonly miner?: RpcMiner
  /** The account that this node makes blocks as. */
  readonly coinbase?: Address
  /** By the names of net_services, those that run. */
  readonly services?: () => Readonly<
    Partial<Record<'jsonrpc' | 'ws' | 'p2p' | 'metrics' | 'graphQL', RpcService>>
  >
  /** Of the parts of the node that are named, such as `p2p`; of all where none is. */
  readonly setLogLevel?: (level: RpcLogLevel, parts: readonly string[]) => void
  /** Blocks that were refused last. */
  readonly badBlocks?: () => readonly BadBlock[]
  /** Peers whose genesis file or transitions are not this node's, by the names of the entries. */
  readonly differences: () => readonly ConfigurationDifference[]
  readonly troubles?: () => NodeTroubles
  /** Told what the operator should know of a request that is carried out all the same. */
  readonly warn: (text: string) => void
  /** Told of errors that are the node's own fault, before the client is told `Internal error`. */
  readonly reportError: (method: string, error: unknown) => void
  /** Other threads for long calls; undefined where all run on this one. */
  readonly callWorkers?: CallWorkers | undefined
  /** Undefined where each call begins as it comes. */
  readonly onNextTurn?: OnNextTurn | undefined
  /** Keeps what of a long answer waits to be sent; undefined where that is held as it is. */
  readonly keep?: KeepBytes | undefined
}

/** What every method gets: the host, and what the methods keep between calls. */
export type RpcContext = RpcHost & {
  readonly filters: FilterRegistry
  readonly gasPrice: GasPriceOracle
}
