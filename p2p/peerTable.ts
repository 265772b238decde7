import { compareBytes } from '../core/bytes/bytes.ts'
import { toBareHex } from '../core/bytes/hex.ts'
import { NetworkError } from './error.ts'
import type { Link } from './link.ts'
import type { Peer } from './network.ts'

/** A node that is connected, over one connection or, when both dialed at once, for a while over two. */
export type Entry = {
  peer: Peer
  /** The one that is written to comes first. */
  readonly links: Link[]
}

export type PeerTable = {
  readonly size: number
  get(id: string): Entry | undefined
  all(): Iterable<Entry>
  /** The connection to write to. */
  link(id: string): Link | undefined
  /** Adds an established connection, before the others of that node when it is better. */
  add(link: Link, peer: Peer): Entry
  /** The peer when that was its last connection. */
  remove(link: Link): Peer | undefined
}

export const createPeerTable = (ownKey: Uint8Array): PeerTable => {
  const entries = new Map<string, Entry>()

  /** Both sides choose the same one: what the node with the lower key dialed, and the newer of two such. */
  const isBetter = (next: Link, current: Link): boolean => {
    if (next.inbound === current.inbound) return true
    const weDialHere = compareBytes(ownKey, next.publicKey) < 0
    return next.inbound !== weDialHere
  }

  return {
    get size() {
      return entries.size
    },
    get: id => entries.get(id),
    all: () => entries.values(),
    link: id => entries.get(id)?.links[0],
    add: (link, peer) => {
      const entry = entries.get(link.id)
      if (entry === undefined) {
        const created = { peer, links: [link] }
        entries.set(link.id, created)
        return created
      }
      const current = entry.links[0]
      if (current === undefined || isBetter(link, current)) {
        entry.links.unshift(link)
        entry.peer = { ...peer, connectedAtMs: entry.peer.connectedAtMs }
      } else entry.links.push(link)
      return entry
    },
    remove: link => {
      const entry = entries.get(link.id)
      const index = entry?.links.indexOf(link) ?? -1
      if (entry === undefined || index < 0) return undefined
      entry.links.splice(index, 1)
      if (entry.links.length > 0) return undefined
      entries.delete(link.id)
      return entry.peer
    },
  }
}

/** The connection to write to. @throws NetworkError when the peer is not connected */
export const connectedLink = (table: PeerTable, { address }: Peer): Link => {
  const id = toBareHex(address)
  const link = table.link(id)
  if (link === undefined) throw new NetworkError('NOT_CONNECTED', `0x${id} is not connected`)
  return link
}
