import type { MultiaddrConnection } from '@libp2p/interface'
import { NetworkError } from '../error.ts'
import { endpointOf } from '../transport/identity.ts'
import type { InboundConnectionLimit } from '../transport/inboundConnectionLimit.ts'
import { createPendingHandshakes, type KnownHosts } from '../pendingHandshakes.ts'

/** Below the number at which libp2p refuses further ones, whoever they are of. */
const UPGRADES_MAX = 448

export type UpgradesOptions = {
  readonly inboundConnectionLimit: InboundConnectionLimit
  readonly knownHosts: KnownHosts
  readonly nowMs: () => number
}

/** The inbound connections whose encryption is not negotiated. */
export type Upgrades = {
  /** False if there is no room, and none could be made. */
  begin(connection: MultiaddrConnection): boolean
  /** The key of the other side is proven. */
  finish(remoteAddr: MultiaddrConnection['remoteAddr']): void
}

/** Makes room for new inbound connections: silent ones end first, and cost their address its places. */
export const createUpgrades = ({ inboundConnectionLimit, knownHosts, nowMs }: UpgradesOptions): Upgrades => {
  const pending = createPendingHandshakes({
    placesMax: UPGRADES_MAX,
    nowMs,
    isSilent: host => inboundConnectionLimit.isSilent(host),
    isKnown: host => knownHosts.has(host),
  })
  /** By remote endpoint. */
  const releases = new Map<string, () => void>()
  return {
    begin: connection => {
      const { remoteAddr } = connection
      const key = remoteAddr.toString()
      const { host } = endpointOf(remoteAddr)
      const release = pending.add({
        host,
        openedAtMs: nowMs(),
        // What arrives is read by the negotiation: one that sends something counts as silent until it has proven a key.
        hasSent: false,
        evict: () => connection.abort(new NetworkError('TIMEOUT', 'it made room for another connection')),
      })
      if (release === undefined) return false
      releases.set(key, release)
      connection.addEventListener('close', () => {
        if (!releases.delete(key)) return
        release()
        inboundConnectionLimit.silent(host)
      })
      return true
    },
    finish: remoteAddr => {
      const key = remoteAddr.toString()
      releases.get(key)?.()
      releases.delete(key)
    },
  }
}
