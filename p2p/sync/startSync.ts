import type { Block } from '../../core/block/block.ts'
import type { Hash } from '../../core/bytes/bytes.ts'
import type { RecordImport } from '../../core/chain/chain.ts'
import type { RecoverSenders } from '../../core/chain/importing/validation.ts'
import { POSITIONS_FEATURE } from '../../core/qbft/codec/position.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import { RECORDS_FEATURE } from '../blocks/records.ts'
import type { Network, OwnStatus, Peer } from '../network.ts'
import type { ValidatorStatement } from '../validatorStatement.ts'
import { rateLimitedLog } from '../transport/rateLimitedLog.ts'
import { createChainSync } from './chain/chainSync.ts'
import type { RecoverBlocks } from './chain/prefetch.ts'
import { createNewBlocks } from './chain/newBlocks.ts'
import { createPeerHeads, raiseHead, removeHead, updateHead } from './chain/peerHeads.ts'
import { startRepair } from './chain/repair.ts'
import { createServeBlocks } from './chain/serveBlocks.ts'
import { createServeRecords } from './chain/serveRecords.ts'
import { createServeByHash } from './chain/serveByHash.ts'
import type { Progress } from './chain/syncReport.ts'
import { createClockWarning } from './clockWarning.ts'
import type { SyncContext } from './context.ts'
import { createGenesisDifferences } from './genesisDifferences.ts'
import { startAnnouncingAgain } from './pool/announceAgain.ts'
import { startAnnouncingTransactions } from './pool/announceTransactions.ts'
import { createPoolSync } from './pool/poolSync.ts'
import { createServePool } from './pool/servePool.ts'
import { createTransactionReceiver } from './pool/transactionReceiver.ts'
import type { Sync } from './sync.ts'

export type SyncOptions = SyncContext & {
  readonly pool: TransactionPool
  /** The state that the pool validates by, for the block after the current head. */
  readonly poolHead: () => PoolHead
  readonly recoverSenders: RecoverSenders
  /** Stores the senders where the chain that it was opened with finds them. */
  readonly recoverBlocks: RecoverBlocks
  /** Logs a block of a peer that was imported. */
  readonly logImported: (block: Block, hash: Hash) => void
  readonly networkId: bigint
  /** Besu's `--sync-min-peers`: the first sync waits some seconds for that many peers. */
  readonly syncMinPeers: number
  /** Name and version of this software. */
  readonly client: string
  /** Entries of the genesis file that all nodes must agree on, name to value. */
  readonly configuration: Readonly<Record<string, string>>
  /** Binds the connection key to the validator's key; undefined where they are the same. */
  readonly statement?: ValidatorStatement | undefined
  /** Takes blocks with their state from peers that offer it; undefined to execute every block. */
  readonly importRecord?: RecordImport['importRecord'] | undefined
  /** Draws a progress bar during the sync; undefined without a terminal. */
  readonly showProgress: (() => Progress) | undefined
}

const createStatus = (options: SyncOptions, network: () => Network | undefined) => (): OwnStatus => {
  const { header, hash } = options.chain.head()
  return {
    networkId: options.networkId,
    genesisHash: options.chain.genesis.hash,
    configuration: options.configuration,
    headNumber: header.number,
    headHash: hash,
    headTimestamp: header.timestamp,
    historyStart: options.chain.store.historyStart?.(),
    client: options.client,
    features: [POSITIONS_FEATURE, RECORDS_FEATURE],
    ...(options.statement === undefined ? {} : { statement: options.statement }),
    neighbours:
      network()
        ?.peers()
        .map(({ address }) => address) ?? [],
  }
}

/** The parts of the sync, connected with each other. */
const createParts = (options: SyncOptions, network: () => Network | undefined) => {
  const { log, nowMs } = options
  const heads = createPeerHeads()
  const clockWarning = createClockWarning(log, nowMs)
  const shared = { ...options, network, heads, clockWarning }
  const chainSync = createChainSync({ ...shared, importing: () => newBlocks.importing() })
  const newBlocks = createNewBlocks({ ...shared, update: chainSync.update })
  const isSyncing = (): boolean => chainSync.progress() !== undefined
  const receiver = createTransactionReceiver({ ...options, network })
  return {
    heads,
    chainSync,
    newBlocks,
    isSyncing,
    receiver,
    differences: createGenesisDifferences(options.configuration, rateLimitedLog(log, nowMs)),
    repair: startRepair(shared),
    poolSync: createPoolSync({ ...options, network, receiver, isSyncing }),
  }
}

type Parts = ReturnType<typeof createParts>

const createHandlers = (
  options: SyncOptions,
  network: () => Network | undefined,
  { heads, chainSync, newBlocks, isSyncing, receiver, differences, repair, poolSync }: Parts,
): Sync['handlers'] => {
  const { chain, pool, createYield } = options
  const onStatus = (peer: Peer): void => {
    differences.compare(peer)
    updateHead(heads, peer)
    repair.update()
    chainSync.update()
  }
  return {
    status: createStatus(options, network),
    // During a sync the state is too old to validate transactions: gossip is forwarded, and other nodes validate it.
    onTransactions: (peer, transactions) =>
      isSyncing() ? { isForwarded: true, held: [] } : receiver.receive(peer, transactions),
    onNewBlock: newBlocks.receive,
    blocks: createServeBlocks(chain, createYield),
    records: createServeRecords(chain, createYield, options.nowMs),
    ...createServeByHash(chain, createYield),
    ...createServePool(pool, createYield),
    onPeer: peer => {
      onStatus(peer)
      poolSync.fetch(peer)
    },
    onGossip: poolSync.fetch,
    onStatus,
    onPeerDisconnected: peer => {
      removeHead(heads, peer.address)
      chainSync.update()
    },
    onRefused: differences.refused,
  }
}

/** Starts the sync of a chain and a pool with the peers. */
export const startSync = (options: SyncOptions): Sync => {
  const { chain, pool, nowMs } = options
  let attached: Network | undefined
  const network = (): Network | undefined => attached
  const parts = createParts(options, network)
  const { heads, chainSync, newBlocks, isSyncing, receiver, differences, repair, poolSync } = parts
  const unsubscribers = [
    startAnnouncingTransactions({ pool, network }),
    startAnnouncingAgain({ chain, pool, network, nowMs }),
    chainSync.onProgress(() => {
      // Transactions gossiped during the sync were not added to the pool.
      if (!isSyncing()) for (const peer of attached?.peers() ?? []) poolSync.fetch(peer)
    }),
    chain.onHead(() => {
      // The network limits the rate, and sends the status itself when its connections change.
      attached?.sendStatus()
      chainSync.update()
      poolSync.update()
    }),
  ]
  return {
    handlers: createHandlers(options, network, parts),
    attach: to => {
      attached = to
      chainSync.update()
    },
    progress: chainSync.progress,
    lag: chainSync.lag,
    onProgress: chainSync.onProgress,
    raisePeerHead: (peer, number) => {
      raiseHead(heads, peer, number)
      chainSync.update()
    },
    committed: newBlocks.announce,
    differences: differences.list,
    stop: async () => {
      for (const unsubscribe of unsubscribers) unsubscribe()
      await Promise.all([chainSync.stop(), repair.stop(), poolSync.stop(), receiver.stop()])
    },
  }
}
