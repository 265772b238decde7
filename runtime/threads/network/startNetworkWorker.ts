import type { Network } from '../../../p2p/network.ts'
import { createYield } from '../../scheduler.ts'
import { countConnections } from './connectionCounts.ts'
import { createRefusal } from './refusedNodes.ts'
import { roleIn } from './role.ts'
import { NetworkThreadError } from './thread.ts'
import { type NetworkThreadOptions, startNetworkThread } from './startNetworkThread.ts'

/** Starts the network on a worker thread, or on this thread if no worker can start. @throws NetworkError, EnodeError */
export const startNetworkWorker = async (options: NetworkThreadOptions): Promise<Network> => {
  try {
    return await startNetworkThread(options)
  } catch (error) {
    if (!(error instanceof NetworkThreadError)) throw error
    options.log.warn('The network runs on the main thread: {reason}', { reason: error.message, error })
    const refusedBy = createRefusal(options.refusedNodes)
    const counting = countConnections(options.counters)
    const { startTransport } = await import('../../../p2p/startTransport.ts')
    return startTransport({
      ...options,
      handlers: { ...options.handlers, roleOf: address => roleIn(options.validators(), address) },
      refuses: (publicKey, host, port) =>
        refusedBy(publicKey, host) ?? counting.unpermitted(options.permittedNodes?.(), publicKey, host, port),
      onIncomplete: counting.onIncomplete,
      nowMs: () => Date.now(),
      pause: createYield(),
    })
  }
}
