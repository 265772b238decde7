import { UsageError } from '../../cli/errors.ts'
import { enabledBy } from '../../cli/enabled.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'

/** Refuses services on one port before any of them listens; each that takes a free one has its own. @throws UsageError */
export const requireDistinctPorts = (options: NodeOptions): void => {
  const enabled = enabledBy(options)
  const ports = [
    ...(enabled.p2p ? [options.p2pPort] : []),
    ...(enabled.p2p && options.p2pProtocol === 'both' ? [options.p2pLibp2pPort ?? options.p2pPort + 1] : []),
    ...(enabled.http ? [options.rpcHttpPort] : []),
    ...(options.rpcWsEnabled ? [options.rpcWsPort] : []),
    ...(options.graphqlHttpEnabled ? [options.graphqlHttpPort] : []),
    ...(options.metricsEnabled ? [options.metricsPort] : []),
  ].filter(port => port !== 0)
  const twice = ports.find((port, index) => ports.indexOf(port) !== index)
  if (twice !== undefined)
    throw new UsageError(
      'INVALID_VALUE',
      `Port number '${twice}' has been specified multiple times. Please review the supplied configuration.`,
    )
}
