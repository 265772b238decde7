import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import type { Effect } from '../../core/qbft/effect.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Network, Peer } from '../../p2p/network.ts'

type Sent = Extract<Effect, { readonly kind: 'broadcast' | 'send' | 'relay' }>

/** The receivers of a relayed message: connected, and neither its author, nor its sender, nor neighbours of the author. */
export const relayTo = (
  { author, from, to }: Extract<Effect, { readonly kind: 'relay' }>,
  peers: readonly Pick<Peer, 'address' | 'status'>[],
): readonly Address[] => {
  const connected = new Map(peers.map(peer => [toBareHex(peer.address), peer]))
  const reached = connected.get(toBareHex(author))?.status.neighbours ?? []
  return to.filter(
    address =>
      connected.has(toBareHex(address)) &&
      !equalBytes(address, author) &&
      !equalBytes(address, from) &&
      !includesAddress(reached, address),
  )
}

const receivers = (effect: Sent, network: Network): readonly Address[] => {
  if (effect.kind === 'relay') return relayTo(effect, network.peers())
  return effect.kind === 'send' ? [effect.to] : effect.to
}

/** Sends a message. Returns the number of peers it was queued for; others get the latest messages when they connect. */
export const deliver = (network: Network, effect: Sent): number => {
  const { code, data } = effect.message
  return network.sendConsensus(receivers(effect, network), code, data)
}
