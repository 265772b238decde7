import { DIAL_INTERVAL_MS, SUPERVISION_INTERVAL_MS } from './limits.ts'
import type { NetworkOptions } from './network.ts'
import { createBase } from './node/base.ts'
import { type Libp2pNetwork, networkOf } from './node/networkOf.ts'
import { connectParts, reopenGossip, type Parts } from './node/parts.ts'
import { createPeers, openHost } from './node/peers.ts'
import { createServices } from './node/services.ts'
import { handleStreams } from './node/streams.ts'
import { enodesOf } from './peers/peerExchange.ts'
import { startHost } from './transport/host.ts'

/**
 * Listens, dials bootnodes and static nodes, and maintains the connections. Calls the handlers until the network stops.
 * @throws NetworkError when it cannot listen on the port
 * @throws EnodeError when a bootnode or static node is not an enode URL
 */
export const startNetwork = async (options: NetworkOptions): Promise<Libp2pNetwork> => {
  const base = createBase(options)
  const peers = createPeers(base)
  const host = await openHost(base, peers)
  const parts: Parts = { ...base, ...peers, ...createServices(base, peers, host), host }
  const { state, dialer, connections } = parts
  state.host = host
  connectParts(parts)
  await handleStreams({ ...parts, nowMs: options.nowMs, pause: options.pause })

  state.port = await startHost(host, options)
  parts.gossip.start()
  parts.discovery.start()
  for (const enode of parts.bootnodes) dialer.add(enode, 'bootnode')
  for (const enode of parts.staticNodes) dialer.add(enode, 'static')
  parts.learn(enodesOf(options.learnedNodes))
  dialer.tick()
  const dialing = setInterval(() => dialer.tick(), DIAL_INTERVAL_MS)
  const supervision = setInterval(() => {
    connections.tick()
    options.onIncomplete?.(connections.pending.size)
    reopenGossip(parts)
  }, SUPERVISION_INTERVAL_MS)
  return networkOf(parts, () => {
    clearInterval(dialing)
    clearInterval(supervision)
  })
}
