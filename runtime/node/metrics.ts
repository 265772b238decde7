import type { Probes } from '../../handlers/http/probes.ts'
import type { InboundLimits } from '../../handlers/inbound/inboundLimits.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { TransactionPool } from '../../core/txpool/pool.ts'
import { UsageError } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Environment } from '../cli/sources/resolve.ts'
import { createBlockParticipation } from '../consensus/reports/blockParticipation.ts'
import { logOf } from '../logging/log.ts'
import type { NodeMetrics } from '../metrics/nodeMetrics.ts'
import { type OtlpSettings, otlpSettingsOf } from '../metrics/otlp/settings.ts'
import type { Permissions } from '../permissions/openPermissions.ts'
import { readConnectionCounts } from '../threads/network/connectionCounts.ts'
import type { Doctor } from './doctor.ts'
import type { ConsensusService } from './consensusService.ts'
import type { RunningNode } from './runningNode.ts'
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
  readonly permissions: Pick<Permissions, 'accountCounts' | 'connectionCounters'>
  /** Settings of the OpenTelemetry export; undefined for another protocol. */
  readonly otlp: OtlpSettings | undefined
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
    accountChecks: parts.permissions.accountCounts,
    connectionCounts: () => readConnectionCounts(parts.permissions.connectionCounters),
    address: node.key.address,
    peers,
    peerLimit: options.maxPeers,
    syncing: () => measured.service?.sync()?.lag(),
    highestOfPeers: () =>
      peers().reduce<bigint | undefined>(
        (highest, { status }) => (status.headNumber > (highest ?? -1n) ? status.headNumber : highest),
        undefined,
      ),
    participation:
      chain.configuration.consensus.kind === 'qbft'
        ? createBlockParticipation(chain, node.recoverSeals)
        : undefined,
    report: () => measured.service?.consensus()?.report(),
    proposalGasMax: () => measured.service?.consensus()?.proposalGasMax(),
    pendingVotes: async () => (await chain.voteTally())?.votes.length ?? 0,
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
  return parts.otlp === undefined ? metrics : exportOtlp(metrics, parts.otlp, stops)
}

/** Starts to export metrics and traces. Returns the metrics with the observers of the traces. */
const exportOtlp = async (
  measured: NodeMetrics,
  settings: OtlpSettings,
  stops: MeasuredParts['stops'],
): Promise<NodeMetrics> => {
  const [{ withTraces }, { startOtlpExport }] = await Promise.all([
    import('../metrics/otlp/tracing.ts'),
    import('../metrics/otlp/export.ts'),
  ])
  const { metrics, spans } = withTraces(measured)
  stops.push(startOtlpExport({ settings, registry: metrics.registry, spans, log: logOf('metrics') }))
  return metrics
}

/** Settings of the OpenTelemetry export; undefined unless the options enable it. @throws UsageError */
export const otlpOf = (options: NodeOptions, environment: Environment): OtlpSettings | undefined => {
  if (!measures(options) || options.metricsProtocol !== 'OPENTELEMETRY') return undefined
  if (options.metricsPushEnabled)
    throw new UsageError(
      'INVALID_VALUE',
      '--metrics-push-enabled sends metrics to a Pushgateway, which does not read OpenTelemetry: give --metrics-enabled with --metrics-protocol=OPENTELEMETRY.',
    )
  return otlpSettingsOf(environment, options.identity)
}

/** @throws UsageError for metrics that are to be both served and pushed, as in Besu */
export const requireServedOrPushed = ({ metricsEnabled, metricsPushEnabled }: NodeOptions): void => {
  if (metricsEnabled && metricsPushEnabled)
    throw new UsageError(
      'INVALID_VALUE',
      "--metrics-enabled option and --metrics-push-enabled option can't be used at the same time: choose whether Prometheus reads the metrics or the node pushes them.",
    )
}

/** Prometheus reads the metrics at a port. */
export const servesMetrics = ({ metricsEnabled, metricsProtocol }: NodeOptions): boolean =>
  metricsEnabled && metricsProtocol === 'PROMETHEUS'

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
    listener.attach({
      fetch: createMetricsApp(registry, options.hostAllowlist, probes, text =>
        logOf('metrics').warn('{text}', { text }),
      ),
    })
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
