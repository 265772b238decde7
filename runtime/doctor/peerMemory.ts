import { setBounded } from '../../core/collections/boundedMap.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { addressOfPublicKey } from '../../core/crypto/crypto.ts'
import { parseEnode } from '../../p2p/transport/enode.ts'
import { connectionFailureReason } from '../files/reason.ts'
import type { Peer } from '../../p2p/network.ts'

/** Remembered nodes, more than any consortium has; the one that changed longest ago is evicted first. */
const KEPT_MAX = 256

/** A reason comes from a library or from the other side. */
const REASON_LENGTH_MAX = 200

/** The latest state of a node that is or was connected, or dialed. */
export type PeerTrace = {
  /** Where it listens, or is connected from if it announced no port. */
  readonly remoteAddress: string | undefined
  readonly client: string | undefined
  /** Why the last dial failed, or why the connection ended; undefined while it is connected. */
  readonly trouble: string | undefined
}

export type PeerMemory = {
  connected(peer: Peer): void
  disconnected(peer: Peer, reason: string): void
  dialFailed(enode: string, reason: string): void
  /** By the node's address in hex. */
  of(address: string): PeerTrace | undefined
}

/** `host:port` where the peer listens; where it is connected from if it announced no port. */
export const listenAddressOf = ({ enode, remoteAddress }: Peer): string => {
  const announced = /@(.*:\d+)/.exec(enode)?.[1]
  return announced === undefined || announced.endsWith(':0') ? remoteAddress : announced
}

const shown = (reason: string): string => reason.slice(0, REASON_LENGTH_MAX)

/**
 * Remembers where nodes were and why they are not connected.
 * @param configured enodes that this node dials from its start on
 */
export const createPeerMemory = (configured: readonly string[] = []): PeerMemory => {
  const traces = new Map<string, PeerTrace>()
  const note = (address: string, trace: PeerTrace): void => setBounded(traces, address, trace, KEPT_MAX)
  const traceOf = (peer: Peer, trouble: string | undefined): PeerTrace => ({
    remoteAddress: listenAddressOf(peer),
    client: peer.status.client,
    trouble,
  })
  const noteDial = (enode: string, reason: string): void => {
    const { publicKey, host, port } = parseEnode(enode)
    const address = toHex(addressOfPublicKey(publicKey))
    const before = traces.get(address)
    note(address, {
      remoteAddress: before?.remoteAddress ?? `${host}:${port}`,
      client: before?.client,
      trouble: `${host}:${port}: ${shown(reason)}`,
    })
  }
  for (const enode of configured) noteDial(enode, 'no answer yet')
  return {
    connected: peer => note(toHex(peer.address), traceOf(peer, undefined)),
    disconnected: (peer, reason) => note(toHex(peer.address), traceOf(peer, shown(reason))),
    dialFailed: (enode, reason) => noteDial(enode, connectionFailureReason(reason)),
    of: address => traces.get(address),
  }
}
