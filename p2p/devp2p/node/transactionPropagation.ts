import { errorText } from '../../../core/text/errorText.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { transactionType } from '../../../core/block/codec/transaction.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { NetworkError } from '../../error.ts'
import { createGossipRates, type GossipRates } from '../../gossip/gossipRates.ts'
import { HASH_BYTES } from '../../gossip/poolLists.ts'
import { createRecentHashes, type RecentHashes } from '../../gossip/recentHashes.ts'
import { checkEncodings } from '../../gossip/transactionBatch.ts'
import { ETH } from '../ethCodes.ts'
import { type EthPeer, sendEth } from '../eth/ethPeer.ts'
import {
  decodeTransactionAnnouncements,
  decodeTransactions,
  encodeTransactionAnnouncements,
  encodeTransactions,
  MESSAGE_TRANSACTIONS_MAX,
  type TransactionAnnouncement,
} from '../eth/transactions.ts'
import { nameOf } from '../session/session.ts'
import { createAnnouncementLimit } from './announcementLimit.ts'
import type { Devp2pNode } from './devp2pNode.ts'
import { createTransactionFetcher, type TransactionFetcher } from './transactionFetcher.ts'

/** Transactions that are announced within this time share a message. */
const BATCH_MS = 20
/** Transactions sent in full in one message: Besu builds them of this size, too. */
const FULL_BYTES_MAX = 1024 * 1024
/** Hashes of transactions that arrived or were announced recently. */
const SEEN_MAX = 131_072
/** Transactions that wait to be announced; beyond it peers have them from others, or when they connect. */
const BATCH_MAX = 32_768
/** Announced hashes of a peer that are kept until this node has caught up: more than a usual pool has. */
const ANNOUNCED_KEPT_MAX = 16_384
/** Hashes of the own pool that are announced to a node that connects: the default size of a pool. */
const POOL_ANNOUNCED_MAX = 32_768
/** Transactions of a message that are validated together: the first of thousands are forwarded while the rest wait. */
const VALIDATED_AT_ONCE = 128
/** A blob transaction needs its blobs, which the pool does not keep: it is not passed on. */
const BLOB_TYPE = 3

type Prepared = { readonly encoded: Uint8Array; readonly hash: Hash; readonly type: number }

export type TransactionPropagation = {
  announce(transactions: readonly Uint8Array[]): void
  /** Announces the own pool to a node that has connected. */
  announcePool(peer: EthPeer): Promise<void>
  /** Transactions in full. @throws RlpError */
  onTransactions(peer: EthPeer, payload: Uint8Array): void
  /** @throws RlpError */
  onAnnouncements(peer: EthPeer, payload: Uint8Array): void
  /** Requests transactions by hash; returns the encodings that the peer delivers. @throws NetworkError, RlpError */
  fetch(peer: EthPeer, hashes: readonly Hash[]): Promise<readonly Uint8Array[]>
  stop(): void
}

const announcementOf = ({ hash, type, encoded }: Prepared): TransactionAnnouncement => ({
  hash,
  type,
  size: encoded.length,
})

const prepare = (encoded: Uint8Array): Prepared => ({
  encoded,
  hash: keccak256(encoded),
  type: transactionType(encoded),
})

/** GoQuorum, which speaks eth/66, disconnects for a type that it does not know. */
const isAcceptedBy = ({ version }: EthPeer, type: number): boolean =>
  type !== BLOB_TYPE && (version > 66 || type <= 1)

const sendInFull = (peer: EthPeer, transactions: readonly Prepared[]): void => {
  let batch: Uint8Array[] = []
  let bytes = 0
  const flush = (): void => {
    if (batch.length > 0) sendEth(peer, ETH.transactions, encodeTransactions(batch))
    batch = []
    bytes = 0
  }
  for (const { encoded } of transactions) {
    if (bytes + encoded.length > FULL_BYTES_MAX || batch.length >= MESSAGE_TRANSACTIONS_MAX) flush()
    batch.push(encoded)
    bytes += encoded.length
  }
  flush()
}

const sendHashes = (peer: EthPeer, announcements: readonly TransactionAnnouncement[]): void => {
  for (let at = 0; at < announcements.length; at += MESSAGE_TRANSACTIONS_MAX) {
    const part = announcements.slice(at, at + MESSAGE_TRANSACTIONS_MAX)
    sendEth(peer, ETH.newPooledTransactionHashes, encodeTransactionAnnouncements(peer.version, part))
  }
}

/** Sends each transaction in full to some peers, as many as the root of their number, and its hash to the others. */
const propagate = (node: Devp2pNode, transactions: readonly Prepared[]): void => {
  const peers = [...node.table.all()]
  const inFullCount = Math.ceil(Math.sqrt(peers.length))
  const [random = 0] = node.random(1)
  for (const [index, peer] of peers.entries()) {
    const unsent = transactions.filter(
      ({ hash, type }) => isAcceptedBy(peer, type) && peer.knownTransactions.add(hash),
    )
    // Different peers each time, so that no peer is always last.
    const inFull = (index + random) % peers.length < inFullCount
    if (inFull) sendInFull(peer, unsent)
    else sendHashes(peer, unsent.map(announcementOf))
  }
}

type State = {
  readonly node: Devp2pNode
  /** Hashes of transactions that arrived or were announced recently. */
  readonly seen: RecentHashes
  readonly rates: GossipRates
  /** The queued announcements. */
  batch: Prepared[]
  timer: ReturnType<typeof setTimeout> | undefined
}

const queue = (state: State, prepared: readonly Prepared[]): void => {
  for (const each of prepared) if (state.batch.length < BATCH_MAX) state.batch.push(each)
  state.timer ??= setTimeout(() => {
    state.timer = undefined
    propagate(state.node, state.batch.splice(0))
  }, BATCH_MS)
}

/**
 * Checks transactions, and forwards those that the pool took, or already had, as Besu and go-ethereum do: a refused replacement ends
 * here.
 */
const take = async (state: State, peer: EthPeer, transactions: readonly Uint8Array[]): Promise<void> => {
  const { options, handlers } = state.node
  const { session } = peer
  try {
    const bytes = transactions.reduce((sum, { length }) => sum + length, 0)
    if (!state.rates.admits(session.id, transactions.length, bytes)) return
    await checkEncodings(transactions, options.pause)
  } catch (cause) {
    session.events.onMisbehaviour(session, 'invalid-message', errorText(cause))
    return
  }
  const prepared = transactions.map(prepare)
  for (const { hash } of prepared) {
    peer.knownTransactions.add(hash)
    state.seen.add(hash)
  }
  const parts = Array.from({ length: Math.ceil(prepared.length / VALIDATED_AT_ONCE) }, (_, index) =>
    prepared.slice(index * VALIDATED_AT_ONCE, (index + 1) * VALIDATED_AT_ONCE),
  )
  await Promise.all(
    parts.map(async part => {
      const { held } = await handlers.onTransactions(
        peer.peer,
        part.map(({ encoded }) => encoded),
      )
      queue(
        state,
        held.flatMap(index => part[index] ?? []),
      )
    }),
  )
}

const announceChunk = async ({ handlers }: Devp2pNode, peer: EthPeer, hashes: Uint8Array): Promise<void> => {
  const announcements: TransactionAnnouncement[] = []
  for await (const encoded of handlers.poolTransactions(hashes)) {
    const prepared = prepare(encoded)
    if (isAcceptedBy(peer, prepared.type) && peer.knownTransactions.add(prepared.hash))
      announcements.push(announcementOf(prepared))
  }
  await peer.session.outbox.hasSpace()
  sendHashes(peer, announcements)
}

const announcePool = async (node: Devp2pNode, peer: EthPeer): Promise<void> => {
  try {
    let announced = 0
    for await (const hashes of node.handlers.poolHashes()) {
      if (peer.controller.signal.aborted || announced >= POOL_ANNOUNCED_MAX) return
      announced += hashes.length / HASH_BYTES
      await announceChunk(node, peer, hashes)
    }
  } catch (error) {
    node.log.warn('The pool could not be announced to {peer}: {reason}', {
      peer: nameOf(peer.session),
      reason: errorText(error),
    })
  }
}

const fetcherOf = (state: State): TransactionFetcher =>
  createTransactionFetcher({
    log: state.node.log,
    isSeen: hash => state.seen.has(hash),
    onTransactions: (peer, transactions) => void take(state, peer, transactions),
    onBadAnswer: ({ session }, cause) => {
      if (cause instanceof NetworkError) return
      session.events.onMisbehaviour(session, 'bad-response', errorText(cause))
    },
  })

const onAnnouncements = (fetcher: TransactionFetcher, peer: EthPeer, payload: Uint8Array): void => {
  const announcements = decodeTransactionAnnouncements(peer.version, payload).filter(
    ({ type }) => type !== BLOB_TYPE,
  )
  for (const { hash } of announcements) peer.knownTransactions.add(hash)
  peer.announced.push(...announcements.map(({ hash }) => hash))
  peer.announced = peer.announced.slice(-ANNOUNCED_KEPT_MAX)
  fetcher.announced(peer, announcements)
}

export const createTransactionPropagation = (node: Devp2pNode): TransactionPropagation => {
  const rates = createGossipRates(node.options.nowMs, id => {
    const session = node.table.get(id)?.session
    session?.events.onMisbehaviour(session, 'flooding', 'more transactions than allowed')
  })
  const state: State = { node, seen: createRecentHashes(SEEN_MAX), rates, batch: [], timer: undefined }
  const fetcher = fetcherOf(state)
  const admits = createAnnouncementLimit(node.options.nowMs)
  return {
    announce: transactions => {
      const prepared = transactions.map(prepare)
      for (const { hash } of prepared) state.seen.add(hash)
      queue(state, prepared)
    },
    announcePool: peer => announcePool(node, peer),
    onTransactions: (peer, payload) => void take(state, peer, decodeTransactions(payload)),
    onAnnouncements: (peer, payload) => {
      if (admits(peer, payload.length)) onAnnouncements(fetcher, peer, payload)
    },
    fetch: (peer, hashes) => fetcher.fetch(peer, hashes),
    stop: () => {
      clearTimeout(state.timer)
      fetcher.stop()
    },
  }
}
