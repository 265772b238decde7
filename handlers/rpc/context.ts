import type { LogLevel } from './logLevels.ts'
import type { GenesisDifference } from '../../core/genesis/comparison/genesisDifference.ts'
import type { Address, Hash } from '../../core/bytes/bytes.ts'
import type { BadBlock } from '../../core/chain/importing/badBlocks.ts'
import type { Chain, ChosenHeaderValues } from '../../core/chain/chain.ts'
import type { SyncingStatus } from '../../core/chain/syncingStatus.ts'
import type { Vote } from '../../core/block/codec/extraData.ts'
import type { RecoveredTransaction, Transaction } from '../../core/block/transaction.ts'
import type { TransactionPool } from '../../core/txpool/pool.ts'
import type { TransactionRejected } from '../../core/txpool/rejection.ts'
import type { AnswerMemory } from './answerMemory.ts'
import type { RpcErrorObject } from './errors.ts'
import type { AnswerProof } from './dispatch/answerProof.ts'
import type { CallWorkers } from './dispatch/offload.ts'
import type { FilterRegistry } from './filters/registry.ts'
import type { GasPriceOracle } from './fees/gasPrice.ts'
import type { KeepBytes } from './json/jsonPieces.ts'
import type { OnNextTurn, Scheduler } from '../../core/scheduler.ts'
import type { RpcDevelopment } from './development/development.ts'
import type { AccountIndex } from './ots/accountIndex.ts'
import type { RpcObserver } from './observer.ts'
import type { RpcPermissions } from './permissions.ts'
import type { RpcSnapshots } from './snapshots.ts'

/** The part of the node's configuration that methods use; named like Besu's options. */
export type RpcOptions = {
  /** Enabled groups, upper case: ETH, NET, WEB3, QBFT ... The group RPC is always enabled. */
  readonly apis: readonly string[]
  /** What enables a group, for the error of a method that is not served; undefined where HTTP and WebSocket do. */
  readonly apisOption?: string
  /** Answer of web3_clientVersion. */
  readonly clientVersion: string
  /** Answer of net_version. */
  readonly networkId: bigint
  /** Wei. */
  readonly minGasPrice: bigint
  /** Wei; the minimum that eth_maxPriorityFeePerGas suggests. */
  readonly minPriorityFee: bigint
  /** Gas limit of one call or estimate; 0 for no limit. */
  readonly gasCap: bigint
  /** Gas limit of all calls of one eth_simulateV1; 0 for no limit but `gasCap`. */
  readonly simulateGasCap: bigint
  /** Block limit of one eth_getLogs; 0 for no limit. */
  readonly logsRangeMax: bigint
  /** Block limit of one trace_filter; 0 for no limit. */
  readonly traceFilterRangeMax: bigint
  readonly gasPriceBlocks: number
  /** 0 to 100. */
  readonly gasPricePercentile: number
  /** Wei. */
  readonly gasPriceMax: bigint
  /** How far an estimate may exceed the minimum sufficient gas, as a fraction of the estimate. */
  readonly estimateGasToleranceRatio: number
  /** Request limit of a batch; 0 or less for no limit. */
  readonly batchSizeMax: number
  /** Time after which a request is answered with a timeout. */
  readonly timeoutMs: number
  readonly prettyPrint: boolean
  /** True when receipts include the revert reason. */
  readonly revertReasons: boolean
  /** Filters of all clients; beyond it the least recently used one is removed. */
  readonly activeFiltersMax: number
  /** Time after which an unused filter is removed. */
  readonly filterTimeoutMs: number
  /** Recorded steps of one opcode trace; 0 leaves the limit to the size of the answer. */
  readonly traceStepsMax: number
  /** Block limit of one GraphQL query of `blocks`. */
  readonly graphqlBlocksRangeMax: bigint
  /** Subscriptions of all WebSocket connections together. */
  readonly subscriptionsMax: number
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
  // 2 MB of filters.
  activeFiltersMax: 4096,
  filterTimeoutMs: 600_000,
  traceStepsMax: 0,
  graphqlBlocksRangeMax: 5000n,
  subscriptionsMax: 100_000,
} as const satisfies Partial<RpcOptions>

/** A connected peer. */
export type RpcPeer = {
  /** 64 bytes of the node key. */
  readonly publicKey: Uint8Array
  readonly enode: string
  /** `host:port`, as far as known. */
  readonly remoteAddress: string
  /** True where the peer opened the connection. */
  readonly inbound: boolean
  /** The protocols that it offers, as `name/version`; undefined where all nodes offer the same ones. */
  readonly capabilities?: readonly string[]
  readonly status: { readonly client: string; readonly headNumber: bigint; readonly headHash: Hash }
}

/** The peer-to-peer network as the methods see it. */
export type RpcNetwork = {
  readonly listening: boolean
  /** enode URL of this node; undefined until it listens. */
  readonly enode: string | undefined
  /** Resolves to the enode URL once this node listens. @throws if the node stops first */
  whenListening(): Promise<string>
  /** The p2p protocols, as `name/version`. */
  readonly capabilities: readonly string[]
  peerCount(): number
  peers(): readonly RpcPeer[]
  /**
   * Connects a peer and keeps it connected. False when it already was added. @throws an error with an EnodeRefusal as its
   * `code`
   */
  addPeer(enode: string): Promise<boolean>
  /** Disconnects a peer and stops redialing it. False when it was not added. @throws as addPeer */
  removePeer(enode: string): Promise<boolean>
}

/** Why an enode URL is refused. */
export type EnodeRefusal =
  | 'SYNTAX'
  | 'INVALID_NODE_ID'
  | 'NODE_ID_NOT_A_KEY'
  | 'INVALID_HOST'
  | 'INVALID_PORT'
  | 'LOCAL_NODE'

/**
 * The operator's votes: this node casts them in the blocks that it proposes while they would have an effect. They are kept
 * across restarts and epochs until they are discarded.
 */
export type StandingVotes = {
  readonly list: () => readonly Vote[]
  /** Adds a vote or replaces the one on the same address; resolves when durable. @throws an error with the `code` TOO_MANY_VOTES */
  propose(vote: Vote): Promise<void>
  /** Discards a pending vote; does nothing if there is none. */
  discard(recipient: Address): Promise<void>
}

/** Problems of this node, in sentences for operators. */
export type HealthProblems = {
  /** The node cannot write to the chain store or to its restart record. */
  readonly failures: readonly string[]
  /** Reasons why no block is being decided. */
  readonly stalls: readonly string[]
  /** Disks of this node that are nearly full; undefined where disks are not watched. */
  readonly disks?: readonly string[]
  /** Clocks that differ too much; undefined where clocks are not compared. */
  readonly clocks?: readonly string[]
  /** True where this node is the only validator, and makes its blocks without a peer. */
  readonly needsNoPeers?: boolean
}

/** How far a copy of the chain (`--replicate-to`) is behind. */
export type ReplicaStatus = {
  /** The store, without secrets. */
  readonly target: string
  /** Number of blocks missing from the copy. */
  readonly blocks: number
  /** Seconds since it last had all blocks. */
  readonly seconds: number
  /** Why blocks are not copied; undefined while they are. */
  readonly reason: string | undefined
}

/** Settings of the blocks that this node produces. */
export type MinerSettings = {
  /** Wei per gas. */
  readonly minGasPrice: bigint
  /** Wei per gas. */
  readonly minPriorityFee: bigint
  /** At most 32 bytes. */
  readonly extraData: Uint8Array
  /** Undefined keeps the parent's. */
  readonly targetGasLimit: bigint | undefined
  /** The coinbase that a user of a development chain has set; undefined for the validator. */
  readonly coinbase?: Address | undefined
  /** Values that a user of a development chain has set for the next block. */
  readonly chosen?: ChosenHeaderValues | undefined
}

/** Block production as the MINER methods see it. Changes apply from the next block until the node stops. */
export type RpcMiner = {
  settings(): MinerSettings
  change(settings: Partial<MinerSettings>): void
  /** Resumes taking part in block production; false on a chain without it. */
  start(): Promise<boolean>
  /** Stops taking part after the current block; false where the node took no part. */
  stop(): Promise<boolean>
}

/** The address a service of the node listens on. */
export type RpcService = { readonly host: string; readonly port: number }

/** The chain as one request of a reader sees it: at a fixed head, even while the head moves. */
export type Snapshot = Pick<RpcContext, 'chain' | 'gasPrice'> & {
  /** HTTP headers of an answer: its block, and what of it was verified. */
  readonly answerHeaders: (proof: AnswerProof) => Readonly<Record<string, string>>
}

/**
 * Forwards a method that this node cannot serve to another node, and returns the answer.
 * @param authorization the `Authorization` header of the request
 */
export type ForwardCall = (
  method: string,
  params: readonly unknown[],
  authorization: string | null,
) => Promise<{ readonly result: unknown } | { readonly error: RpcErrorObject }>

/** What the host provides to the methods. */
export type RpcHost = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly options: RpcOptions
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  /** Shares the event loop among the requests of all endpoints. */
  readonly scheduler: Scheduler
  readonly randomBytes: (length: number) => Uint8Array
  /**
   * Recovers the sender of each transaction, undefined for an invalid signature. Takes a list so that a host may use threads.
   */
  readonly recoverSenders: (transactions: readonly Transaction[]) => Promise<readonly (Address | undefined)[]>
  /** Adds the transactions to the pool in order; undefined for each that was accepted. */
  readonly submit: (
    transactions: readonly RecoveredTransaction[],
  ) => Promise<readonly (TransactionRejected | undefined)[]>
  /** Undefined where p2p is disabled. */
  readonly network: RpcNetwork | undefined
  /** True when this node takes part in producing the block after the head. */
  readonly mining: () => Promise<boolean>
  /** The round in which the next block is being decided; undefined while this node takes no part. */
  readonly round?: () => number | undefined
  /** Undefined where the chain is in sync with the peers. */
  readonly syncing: () => SyncingStatus | undefined
  /** The operator's votes on validators; undefined on a chain that is not QBFT. */
  readonly votes: StandingVotes | undefined
  /** Undefined where this node produces no blocks. */
  readonly miner?: RpcMiner
  /** What only a development chain does; undefined on any other. */
  readonly development?: RpcDevelopment | undefined
  /** Transactions by account; undefined without `--explorer-index`. */
  readonly accountIndex?: AccountIndex | undefined
  /** The account under which this node produces blocks. */
  readonly coinbase?: Address
  /** The running services, by their names in net_services. */
  readonly services?: () => Readonly<
    Partial<Record<'jsonrpc' | 'ws' | 'p2p' | 'metrics' | 'graphQL', RpcService>>
  >
  /** Sets the level of the named parts of the node, such as `p2p`, or of the whole node where the list is empty. */
  readonly setLogLevel?: (level: LogLevel, parts: readonly string[]) => void
  /** Snapshots of the chain; undefined where the node cannot write files. */
  readonly snapshots?: RpcSnapshots
  /** The most recently rejected blocks. */
  readonly badBlocks?: () => readonly BadBlock[]
  /** Peers whose genesis file or transitions differ from this node's, with the names of the entries. */
  readonly differences: () => readonly GenesisDifference[]
  readonly healthProblems?: () => HealthProblems
  /** Copies of the chain that this node maintains. */
  readonly replicas?: () => readonly ReplicaStatus[]
  /** The allowlists; undefined if both are disabled. */
  readonly permissions?: RpcPermissions | undefined
  /** State of the node and of the validators (qbft_getStatus); undefined on a chain that is not QBFT. */
  readonly status?: (() => Promise<object>) | undefined
  /** Logs a warning about a request that is nevertheless executed. */
  readonly warn: (text: string) => void
  /** Reports an error of the node itself; the client is answered `Internal error`. */
  readonly reportError: (method: string, error: unknown) => void
  /** Called before each HTTP request is answered; the returned promise is awaited first. */
  readonly beforeRequest?: () => Promise<void> | undefined
  /** Called for each request if the head must stay fixed while the request is answered; undefined if it may move. */
  readonly snapshot?: () => Snapshot
  /** Forwards methods that need a pool (dispatch/forwarding.ts); undefined on a node that has one. */
  readonly forwardCall?: ForwardCall
  /** Threads for long calls; undefined where all calls run on this thread. */
  readonly callWorkers?: CallWorkers | undefined
  /** Measures calls and subscriptions; undefined without metrics. */
  readonly observer?: RpcObserver | undefined
  /** Enables micro-batches; undefined where each call starts as it arrives. */
  readonly onNextTurn?: OnNextTurn | undefined
  /** Limits the memory of long answers; undefined for no limit. */
  readonly answers?: AnswerMemory | undefined
  /** Stores the unsent rest of a long answer in less memory; undefined to keep it unchanged. */
  readonly keep?: KeepBytes | undefined
}

/** The context of every method: the host, and state that methods keep between calls. */
export type RpcContext = RpcHost & {
  readonly filters: FilterRegistry
  readonly gasPrice: GasPriceOracle
}
