import { servesMetrics } from '../metrics.ts'
import { UsageError } from '../../cli/errors.ts'
import { enabledBy } from '../../cli/enabled.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'

/** Refuses two services on one port before any of them listens; 0 is a free port for each. @throws UsageError */
export const requireDistinctPorts = (options: NodeOptions): void => {
  const enabled = enabledBy(options)
  const ports = [
    ...(enabled.p2p ? [options.p2pPort] : []),
    ...(enabled.p2p && options.p2pProtocol === 'both' ? [options.p2pLibp2pPort ?? options.p2pPort + 1] : []),
    ...(enabled.p2p && options.p2pHostIpv6 !== undefined ? [options.p2pPortIpv6] : []),
    ...(enabled.http ? [options.rpcHttpPort] : []),
    ...(options.rpcWsEnabled ? [options.rpcWsPort] : []),
    ...(options.graphqlHttpEnabled ? [options.graphqlHttpPort] : []),
    ...(servesMetrics(options) ? [options.metricsPort] : []),
  ].filter(port => port !== 0)
  const duplicate = ports.find((port, index) => ports.indexOf(port) !== index)
  if (duplicate !== undefined)
    throw new UsageError(
      'INVALID_VALUE',
      `Port number '${duplicate}' has been specified multiple times. Please review the supplied configuration.`,
    )
}
