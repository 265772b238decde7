import type { Block } from '../../core/block/block.ts'
import type { Hash } from '../../core/bytes/bytes.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { POSITIONS_FEATURE } from '../../core/qbft/codec/position.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import { rateLimitedLog } from '../transport/rateLimitedLog.ts'
import type { Network, PeerStatus } from '../network.ts'
import type { CreateYield } from '../yieldTurn.ts'
import type { Progress } from './chain/syncReport.ts'
import type { Log } from '../log.ts'
import type { RecoverSeals } from '../../core/chain/rules/seals.ts'
import type { RecoverSenders } from '../../core/chain/importing/validation.ts'
import { startAnnouncingTransactions } from './pool/announceTransactions.ts'
import { createClockWarning } from './clockWarning.ts'
import { createDifferences } from './genesisDifferences.ts'
import type { Sync } from './sync.ts'
import { createNewBlocks } from './chain/newBlocks.ts'
import { createPeerHeads } from './chain/peerHeads.ts'
import { createTransactionReceiver } from './pool/transactionReceiver.ts'
import { createPoolSync } from './pool/poolSync.ts'
import { startRepair } from './chain/repair.ts'
import { createServeBlocks } from './chain/serveBlocks.ts'
import { createServeByHash } from './chain/serveByHash.ts'
import { createServePool } from './pool/servePool.ts'
import { createChainSync } from './chain/chainSync.ts'

export type SyncOptions = {
  readonly chain: Chain
  readonly pool: TransactionPool
  /** What the pool judges by, for the block after the current head. */
  readonly poolHead: () => PoolHead
  /** The same that the chain was opened with, so that it finds what was recovered ahead. */
  readonly recoverSenders: RecoverSenders
  readonly recoverSeals: RecoverSeals
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  readonly createYield: CreateYield
  /** Logs a block of a peer that was imported. */
  readonly logImported: (block: Block, hash: Hash) => void
  readonly networkId: bigint
  /** Besu's `--sync-min-peers`: so many are waited for, for some seconds, before the first catching up. */
  readonly syncMinPeers: number
  /** Name and version of this software. */
  readonly client: string
  /** What all nodes must agree on of the genesis file, by the names of its entries. */
  readonly configuration: Readonly<Record<string, string>>
  /** Draws a bar while the node catches up; undefined where nobody looks. */
  readonly showProgress: (() => Progress) | undefined
}

/** Starts to keep the chain and the pool level with those of the peers. */
export const startSync = (options: SyncOptions): Sync => {
  const { chain, pool, log } = options
  let attached: Network | undefined
  const network = (): Network | undefined => attached
  const heads = createPeerHeads()
  const status = (): PeerStatus => {
    const { header, hash } = chain.head()
    return {
      networkId: options.networkId,
      genesisHash: chain.genesis.hash,
      configuration: options.configuration,
      headNumber: header.number,
      headHash: hash,
      headTimestamp: header.timestamp,
      client: options.client,
      features: [POSITIONS_FEATURE],
      neighbours: attached?.peers().map(({ address }) => address) ?? [],
    }
  }
  const differences = createDifferences(options.configuration, rateLimitedLog(log, options.nowMs))
  const clockWarning = createClockWarning(log, options.nowMs)
  const sync = createChainSync({ ...options, heads, clockWarning, importing: () => newBlocks.importing() })
  const newBlocks = createNewBlocks({
    ...options,
    clockWarning,
    heads,
    network,
    consider: sync.consider,
  })
  const repair = startRepair({ ...options, heads, network })
  const stopAnnouncing = startAnnouncingTransactions(pool, network)
  const receiver = createTransactionReceiver({ ...options, network })
  const isSyncing = (): boolean => sync.progress() !== undefined
  const pools = createPoolSync({ ...options, network, receiver, isSyncing })
  const askAll = (): void => {
    // What was gossiped while this node caught up was not used.
    if (!isSyncing()) for (const peer of attached?.peers() ?? []) pools.ask(peer)
  }
  const unsubscribeProgress = sync.onProgress(askAll)
  const unsubscribe = chain.onHead(() => {
    // The network gathers changes that come close together; it tells of its own connections by itself.
    attached?.sendStatus()
    sync.consider()
    pools.consider()
  })

  return {
    handlers: {
      status,
      // While this node catches up, what they build on is not here yet: others judge them.
      onTransactions: (peer, transactions) => isSyncing() || receiver.receive(peer, transactions),
      onNewBlock: newBlocks.receive,
      blocks: createServeBlocks(chain, options.createYield),
      ...createServePool(pool, options.createYield),
      ...createServeByHash(chain, options.createYield),
      onPeer: peer => {
        differences.told(peer)
        heads.told(peer)
        pools.ask(peer)
        repair.consider()
        sync.consider()
      },
      onGossip: pools.ask,
      onStatus: peer => {
        differences.told(peer)
        heads.told(peer)
        repair.consider()
        sync.consider()
      },
      onPeerGone: peer => {
        heads.gone(peer.address)
        sync.consider()
      },
      onRefused: differences.refused,
    },
    attach: to => {
      attached = to
      sync.attach(to)
    },
    progress: sync.progress,
    onProgress: sync.onProgress,
    heardOf: (peer, number) => {
      heads.heard(peer, number)
      sync.consider()
    },
    committed: newBlocks.announce,
    differences: differences.list,
    stop: async () => {
      unsubscribe()
      unsubscribeProgress()
      stopAnnouncing()
      await Promise.all([sync.stop(), repair.stop(), pools.stop(), receiver.stop()])
    },
  }
}
