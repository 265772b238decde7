import { type Address, equalBytes } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'
import type { Effect } from '../../core/qbft/effect.ts'
import { includesAddress } from '../../core/validators/votes.ts'
import type { Network, Peer } from '../../p2p/network.ts'

type Sent = Extract<Effect, { readonly kind: 'broadcast' | 'send' | 'relay' }>

/** Those of `to` that do not have the message by themselves: neither its author nor who brought it, nor the author's neighbours. */
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

/** Hands a message to the network, and tells how many took it; one that is not connected gets the newest again when it is. */
export const deliver = (network: Network, effect: Sent): number => {
  const { code, data } = effect.message
  return network.sendConsensus(receivers(effect, network), code, data)
}
