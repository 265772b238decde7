import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { createBoundedCache } from '../../../core/collections/boundedMap.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, rlpBytes } from '../../../core/rlp/rlp.ts'
import { createTokenBucket } from '../../transport/tokenBucket.ts'
import type { EthPeer } from '../eth/ethPeer.ts'
import type { Session } from '../session/session.ts'
import type { Devp2pNode } from './devp2pNode.ts'

/** The only message of quorate/1: the addresses of the nodes that its sender is connected with. */
const NEIGHBOURS = 0
/** As in libp2p's status. */
const NEIGHBOURS_MAX = 1024
const ADDRESS_BYTES = 20
/** At a start many connections open at once: one list is sent for all of them. */
const DELAY_MS = 100
/** Lists of one peer in a second, which sends ten at most, and in a burst. */
const LISTS_PER_SECOND = 20
const LISTS_BURST = 100
/** Peers whose rate is remembered, so that a new connection allows no new burst. */
const PEERS_MAX = 1024

export const encodeNeighbours = (addresses: readonly Address[]): Uint8Array =>
  encodeRlp(addresses.slice(0, NEIGHBOURS_MAX))

/** @throws RlpError */
export const decodeNeighbours = (payload: Uint8Array): readonly Address[] =>
  rawItems(payload, 'neighbours', 0, NEIGHBOURS_MAX).map(item =>
    rlpBytes(rawString(item, 'a neighbour'), 'a neighbour', ADDRESS_BYTES).slice(),
  )

/**
 * Tells nodes of this software the peers of this node, and keeps theirs: a consensus message need not be forwarded to those
 * who have it from its author. Other software does not tell its peers, so everything is forwarded to it, as Besu does.
 */
export type Neighbours = {
  /** The peers of this node may have changed: they are sent soon to those to whom others were sent. */
  changed(): void
  receive(peer: EthPeer, payload: Uint8Array): void
  stop(): void
}

export const createNeighbours = (node: Devp2pNode): Neighbours => {
  const { handlers, table, options } = node
  /** The hash of the list that was sent last. */
  const sent = new WeakMap<Session, Uint8Array>()
  const rates = createBoundedCache(PEERS_MAX, () =>
    createTokenBucket(LISTS_PER_SECOND, LISTS_BURST, options.nowMs),
  )
  let timer: ReturnType<typeof setTimeout> | undefined

  const send = (): void => {
    timer = undefined
    const payload = encodeNeighbours(handlers.status().neighbours)
    const hash = keccak256(payload)
    for (const { session } of table.all()) {
      const { agreed, outbox } = session
      const last = sent.get(session)
      if (agreed?.quorate === undefined || (last !== undefined && equalBytes(last, hash))) continue
      if (outbox.send('base', { id: agreed.quorate.offset + NEIGHBOURS, payload })) sent.set(session, hash)
    }
  }

  return {
    changed: () => {
      if (!node.isStopped) timer ??= setTimeout(send, DELAY_MS)
    },
    receive: (ethPeer, payload) => {
      const { session } = ethPeer
      if (rates(session.id).take(1) > 0)
        return session.events.onMisbehaviour(session, 'flooding', 'its neighbours change too often')
      const neighbours = decodeNeighbours(payload)
      ethPeer.peer = { ...ethPeer.peer, status: { ...ethPeer.peer.status, neighbours } }
      handlers.onStatus(ethPeer.peer)
    },
    stop: () => clearTimeout(timer),
  }
}
