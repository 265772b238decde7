import { toBareHex } from '../../core/bytes/hex.ts'
import type { Identity, NetworkOptions } from '../network.ts'
import { type BothState, isOwnSoftware, type Networks } from './bothPeers.ts'

/** Whether the connections are of two nodes; false for an earlier release, which does not tell its instance. */
const areDifferent = (overLibp2p: Identity, overDevp2p: Identity): boolean => {
  // Other software does not connect over libp2p.
  if (!isOwnSoftware(overDevp2p)) return true
  const [one, other] = [overLibp2p.instance, overDevp2p.instance]
  return one !== undefined && other !== undefined && one !== other
}

/**
 * For a network of both: finds a node that is connected over the other transport and has the key of one that connects. The
 * node that came first stays; over devp2p it may have ended without a word, so it is disconnected unless it answers a ping.
 */
export const otherWithKey =
  (state: BothState, transport: keyof Networks): NonNullable<NetworkOptions['otherWithKey']> =>
  peer => {
    const { libp2p, devp2p } = state.peers.get(toBareHex(peer.address)) ?? {}
    if (transport === 'devp2p')
      return libp2p !== undefined && areDifferent(libp2p, peer) ? libp2p.remoteAddress : undefined
    if (devp2p === undefined || !areDifferent(peer, devp2p)) return undefined
    void state.networks?.devp2p.endIfSilent(peer.address)
    return devp2p.remoteAddress
  }
