import type { NetworkHandlers, Peer, TransactionsResult } from '../../../p2p/network.ts'
import type { Backlog } from './backlog.ts'
import { keyOf } from './handlers.ts'
import { splitList } from './joinedBytes.ts'
import type { FromNetwork } from './protocol.ts'
import { NOT_TAKEN } from './validationResults.ts'

/** Messages about peers and from peers. */
export type OfPeers = Extract<
  FromNetwork,
  {
    readonly kind:
      | 'connected'
      | 'status'
      | 'head'
      | 'gossip'
      | 'disconnected'
      | 'consensus'
      | 'transactions'
      | 'block'
      | 'refused'
      | 'dial failed'
      | 'key in use'
  }
>

type OfTransactions = Extract<FromNetwork, { readonly kind: 'transactions' }>

export type RemotePeers = {
  readonly peers: ReadonlyMap<string, Peer>
  /** Passes a message to the handlers if its peer is still connected. */
  receive(message: OfPeers): void
}

/**
 * The main thread's table of peers, kept up to date by messages of the network worker.
 * @param handlers which never throw or reject
 * @param onValidated called with whether a message of transactions is forwarded
 */
export const createRemotePeers = (
  handlers: Pick<NetworkHandlers, Extract<keyof NetworkHandlers, `on${string}`>>,
  backlog: Backlog,
  onValidated: (id: number, result: TransactionsResult) => void,
): RemotePeers => {
  const peers = new Map<string, Peer>()
  const withPeer = (key: string, deliver: (peer: Peer) => void): void => {
    const peer = peers.get(key)
    if (peer !== undefined) deliver(peer)
  }
  const verify = async ({ id, peer: key, transactions }: OfTransactions): Promise<void> => {
    const peer = peers.get(key)
    onValidated(
      id,
      peer === undefined ? NOT_TAKEN : await handlers.onTransactions(peer, splitList(transactions)),
    )
  }
  const setPeer = (peer: Peer): Peer => {
    peers.set(keyOf(peer.address), peer)
    return peer
  }

  return {
    peers,
    receive: message => {
      switch (message.kind) {
        case 'connected':
          return handlers.onPeer(setPeer(message.peer))
        case 'status':
          return handlers.onStatus(setPeer(message.peer))
        case 'head':
          return withPeer(message.peer, peer =>
            handlers.onStatus(
              setPeer({
                ...peer,
                status: { ...peer.status, ...message.head },
                clockOffsetMs: message.clockOffsetMs,
              }),
            ),
          )
        case 'gossip':
          return withPeer(message.peer, handlers.onGossip)
        case 'disconnected':
          return withPeer(message.peer, peer => {
            peers.delete(message.peer)
            handlers.onPeerDisconnected(peer, message.reason)
          })
        case 'consensus':
          backlog.handled(message.data.length)
          return withPeer(message.peer, peer => handlers.onConsensusMessage(peer, message.code, message.data))
        case 'transactions':
          backlog.handled(message.transactions.bytes.length)
          return void verify(message)
        case 'block':
          backlog.handled(message.block.length)
          return withPeer(message.peer, peer => handlers.onNewBlock(peer, message.block))
        case 'dial failed':
          return handlers.onDialFailed?.(message.enode, message.reason)
        case 'key in use':
          return handlers.onKeyInUse?.(message.address, message.reason)
        case 'refused':
          return handlers.onRefused(message.remote, message.reason, message.differing, message.address)
      }
    },
  }
}
