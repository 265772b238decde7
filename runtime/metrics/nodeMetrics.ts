import type { Chain } from '../../core/chain/chain.ts'
import type { RpcObserver } from '../../handlers/rpc/observer.ts'
import { METRIC_CATEGORIES } from '../cli/metricCategories.ts'
import type { ConsensusObserver } from '../consensus/reports/observer.ts'
import type { Log } from '../logging/log.ts'
import type { TransactionPool } from '../../core/txpool/pool.ts'
import { type FollowerSources, startBlockFollower } from './blockFollower.ts'
import { addChainMetrics, type ChainSources } from './chainMetrics.ts'
import { createPeerMetrics, type PeerObserver, type PeerSources } from './peerMetrics.ts'
import { addPermissionMetrics, type PermissionCounts } from './permissionMetrics.ts'
import { addPoolMetrics } from './poolMetrics.ts'
import { addProcessMetrics } from './processMetrics.ts'
import { createQbftMetrics, type QbftSources } from './qbftMetrics.ts'
import { createRegistry, type MetricsRegistry } from './registry.ts'
import { createRpcMetrics, type RpcConnections } from './rpcMetrics.ts'

/** Sources of a node's metrics. Functions are called at a scrape, when all parts run. */
export type MetricsSources = ChainSources &
  PeerSources &
  QbftSources &
  FollowerSources & {
    readonly pool: TransactionPool
    readonly accountChecks: () => PermissionCounts
    readonly connections: RpcConnections
    readonly log: Log
  }

export type NodeMetrics = {
  readonly registry: MetricsRegistry
  readonly rpc: RpcObserver
  readonly peers: PeerObserver
  readonly consensus: ConsensusObserver
  /** The chain with its executions and writes traced; undefined without traces. */
  readonly traceChain?: (chain: Chain) => Chain
  readonly stop: () => Promise<void>
}

/** Starts to measure a node; the observers are given to the parts of it. */
export const startNodeMetrics = async (
  categories: readonly string[],
  sources: MetricsSources,
): Promise<NodeMetrics> => {
  const registry = await createRegistry(METRIC_CATEGORIES.filter(category => categories.includes(category)))
  addProcessMetrics(registry)
  addPermissionMetrics(registry, 'account', sources.accountChecks)
  addPermissionMetrics(registry, 'node', sources.connectionCounts)
  addChainMetrics(registry, sources)
  const stopPool = addPoolMetrics(registry, sources.pool)
  const stopFollower = startBlockFollower(registry, sources)
  return {
    registry,
    rpc: createRpcMetrics(registry, sources.connections),
    peers: createPeerMetrics(registry, sources),
    consensus: createQbftMetrics(registry, sources),
    stop: async () => {
      stopPool()
      await stopFollower()
    },
  }
}
