import type { ConnectionGater, PeerId } from '@libp2p/interface'
import type { Log } from '../log.ts'
import { endpointOf, idOf, keyOfPeerId } from '../transport/identity.ts'
import type { InboundConnectionLimit } from '../transport/inboundConnectionLimit.ts'
import type { Scoring } from '../network.ts'
import type { KnownHosts } from '../pendingHandshakes.ts'
import { createUpgrades } from './upgrades.ts'

export type GaterOptions = {
  readonly inboundConnectionLimit: InboundConnectionLimit
  readonly scoring: Scoring
  readonly log: Log
  /** True for a static node and for a validator. */
  readonly isKnown: (publicKey: Uint8Array) => boolean
  readonly isStopped: () => boolean
  /** True when no further connection is allowed. */
  readonly isFull: () => boolean
  readonly knownHosts: KnownHosts
  readonly nowMs: () => number
  /** Ends the oldest unfinished handshake; false if there is none. */
  readonly evictOldestPending: () => boolean
}

/** Decides which connections libp2p may make: before the handshake by address, after it by key. */
export const createGater = (options: GaterOptions): ConnectionGater => {
  const { inboundConnectionLimit, scoring, log, isKnown } = options
  const upgrades = createUpgrades(options)

  const admits = (peerId: PeerId, host: string): boolean => {
    const publicKey = keyOfPeerId(peerId)
    if (publicKey === undefined) return false
    const id = idOf(publicKey)
    if (scoring.isBanned(id)) {
      inboundConnectionLimit.refusedBanned(host)
      return false
    }
    if (inboundConnectionLimit.admits(host, id, isKnown(publicKey))) return true
    log.info('Refused a connection from {host}: too many connections from this address', { host })
    return false
  }

  return {
    // Unfinished handshakes are evicted, so that held connections keep no other node out.
    denyInboundConnection: connection =>
      options.isStopped() ||
      !inboundConnectionLimit.admitsHandshake(endpointOf(connection.remoteAddr).host) ||
      (options.isFull() && !options.evictOldestPending()) ||
      !upgrades.begin(connection),
    denyInboundEncryptedConnection: (peerId, { remoteAddr }) => {
      upgrades.finish(remoteAddr)
      return !admits(peerId, endpointOf(remoteAddr).host)
    },
    denyOutboundEncryptedConnection: peerId => {
      const publicKey = keyOfPeerId(peerId)
      return publicKey === undefined || scoring.isBanned(idOf(publicKey))
    },
  }
}
