import type { Misbehaviour, Peer } from '../network.ts'
import type { PeerConnection } from './connection.ts'

export type PeerEvent<Arguments extends readonly unknown[]> = {
  /** Listeners are called in the order in which they were added. */
  on(listener: (...args: Arguments) => void): void
  emit(...args: Arguments): void
}

/** Events of connected nodes, between the parts of the network. */
export type PeerEvents = {
  /** The statuses were exchanged; `first` if the node had no other connection. */
  readonly established: PeerEvent<[connection: PeerConnection, first: boolean]>
  /** The last connection with a node ended; `peer` if it had been established. */
  readonly ended: PeerEvent<[connection: PeerConnection, peer: Peer | undefined, reason: string]>
  /** A peer broke a rule of its protocol. */
  readonly misbehaved: PeerEvent<[connection: PeerConnection, what: Misbehaviour, detail: string]>
}

const createPeerEvent = <Arguments extends readonly unknown[]>(): PeerEvent<Arguments> => {
  const listeners: ((...args: Arguments) => void)[] = []
  return {
    on: listener => void listeners.push(listener),
    emit: (...args) => {
      for (const listener of listeners) listener(...args)
    },
  }
}

export const createPeerEvents = (): PeerEvents => ({
  established: createPeerEvent(),
  ended: createPeerEvent(),
  misbehaved: createPeerEvent(),
})
