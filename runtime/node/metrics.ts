import type { Probes } from '../../handlers/http/probes.ts'
import type { InboundLimits } from '../../handlers/inbound/inboundLimits.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { TransactionPool } from '../../core/txpool/pool.ts'
import { UsageError } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { createBlockParticipation } from '../consensus/reports/blockParticipation.ts'
import { logOf } from '../logging/log.ts'
import type { NodeMetrics } from '../metrics/nodeMetrics.ts'
import type { Permissions } from '../permissions/openPermissions.ts'
import type { Doctor } from './doctor.ts'
import type { ConsensusService } from './consensusService.ts'
import type { RunningNode } from './openNode.ts'
import type { MetricsListener } from './servers/metricsServer.ts'

/** Parts that start later than the metrics that are read from them. */
export type Measured = {
  service: Pick<ConsensusService, 'network' | 'sync' | 'consensus'> | undefined
  doctor: Pick<Doctor, 'diagnose'> | undefined
  /** Counts the open WebSocket connections. */
  webSockets: () => number
}

/** Sources of the metrics. */
export type MeasuredParts = {
  readonly options: NodeOptions
  readonly node: RunningNode
  readonly pool: TransactionPool
  readonly inbound: InboundLimits
  readonly measured: Measured
  readonly permissions: Pick<Permissions, 'accountCounts'>
  /** Receives the functions that stop them. */
  readonly stops: (() => Promise<void> | void)[]
}

const NOT_STALLED = { isStalled: false, kind: undefined } as const

/** Starts the metrics that the options ask for; undefined where they are off. The library is loaded only then. */
export const openMetrics = async (parts: MeasuredParts): Promise<NodeMetrics | undefined> => {
  const { options, node, pool, inbound, measured, stops } = parts
  if (!measures(options)) return undefined
  const { chain } = node
  const { startNodeMetrics } = await import('../metrics/nodeMetrics.ts')
  const peers = () => measured.service?.network()?.peers() ?? []
  const metrics = await startNodeMetrics(options.metricsCategories, {
    chain,
    pool,
    permissionCounts: parts.permissions.accountCounts,
    address: node.key.address,
    peers,
    peerLimit: options.maxPeers,
    syncing: () => measured.service?.sync()?.progress(),
    highestOfPeers: () =>
      peers().reduce<bigint | undefined>(
        (highest, { status }) => (status.headNumber > (highest ?? -1n) ? status.headNumber : highest),
        undefined,
      ),
    participation:
      chain.configuration.consensus.kind === 'qbft'
        ? createBlockParticipation(chain, node.recoverSeals)
        : undefined,
    facts: () => measured.service?.consensus()?.facts(),
    pendingVotes: async () => (await chain.voteTally())?.ballots.length ?? 0,
    clockOffsetsMs: () =>
      new Map(
        peers().flatMap(({ address, clockOffsetMs }) =>
          clockOffsetMs === undefined ? [] : [[toHex(address), clockOffsetMs] as const],
        ),
      ),
    diagnose: () => measured.doctor?.diagnose() ?? NOT_STALLED,
    connections: { http: inbound.requests, ws: () => measured.webSockets() },
    log: logOf('metrics'),
  })
  stops.push(metrics.stop)
  return metrics
}

/** @throws UsageError for metrics that are to be both served and pushed, as in Besu */
export const requireServedOrPushed = ({ metricsEnabled, metricsPushEnabled }: NodeOptions): void => {
  if (metricsEnabled && metricsPushEnabled)
    throw new UsageError(
      'INVALID_VALUE',
      "--metrics-enabled option and --metrics-push-enabled option can't be used at the same time: choose whether Prometheus reads the metrics or the node pushes them.",
    )
}

/** Metrics are asked for. */
export const measures = ({ metricsEnabled, metricsPushEnabled, metricsProtocol }: NodeOptions): boolean =>
  (metricsEnabled || metricsPushEnabled) && metricsProtocol !== 'NONE'

/** Serves or pushes the metrics. Returns what ends that. */
export const publishMetrics = async (
  { registry }: NodeMetrics,
  options: NodeOptions,
  listener: MetricsListener | undefined,
  probes: Probes,
): Promise<() => Promise<void>> => {
  if (listener !== undefined) {
    const { createMetricsApp } = await import('../metrics/server.ts')
    listener.attach({ fetch: createMetricsApp(registry, options.hostAllowlist, probes) })
  }
  if (!options.metricsPushEnabled) return async () => undefined
  const { startMetricsPush } = await import('../metrics/push.ts')
  return startMetricsPush({
    host: options.metricsPushHost,
    port: options.metricsPushPort,
    intervalSeconds: options.metricsPushInterval,
    job: options.metricsPushPrometheusJob,
    registry,
    log: logOf('metrics'),
  })
}
