import { errorText } from '../../../core/text/errorText.ts'
import { setBounded } from '../../../core/collections/boundedMap.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Log } from '../../log.ts'
import { ETH } from '../ethCodes.ts'
import { type EthPeer, sendEth } from '../eth/ethPeer.ts'
import { encodeHashes } from '../eth/requests.ts'
import { decodeTransactions, type TransactionAnnouncement } from '../eth/transactions.ts'
import { nameOf } from '../session/session.ts'

/**
 * Announcements within this time are fetched together; a transaction that arrives in full before that is not fetched.
 */
const BATCH_MS = 50
/** Limits of one request, as in Besu: number of hashes, and bytes by the announced sizes. */
const HASHES_AT_ONCE = 256
const BYTES_AT_ONCE = 1024 * 1024
/** The assumed size of a transaction whose announcement has no size. */
const ASSUMED_BYTES = 512
/** Announced transactions of one peer that wait to be fetched; further ones are left to other announcements. */
const WAITING_MAX = 8_192
/** Requests at a time to one peer. */
const REQUESTS_MAX = 2
/** Transactions that are being fetched from all peers; the oldest is forgotten first, and may then be fetched twice. */
const FETCHING_MAX = 65_536
/** Other announcers of one transaction that are remembered, in case the first does not deliver it. */
const ANNOUNCERS_MAX = 4

type Waiting = {
  readonly queue: TransactionAnnouncement[]
  timer: ReturnType<typeof setTimeout> | undefined
  requests: number
}

export type FetcherOptions = {
  readonly log: Log
  /** True for a transaction that has arrived before. */
  readonly isSeen: (hash: Hash) => boolean
  readonly onTransactions: (peer: EthPeer, transactions: readonly Uint8Array[]) => void
  /** Called when the answer of a peer breaks its protocol; must not throw. */
  readonly onBadAnswer: (peer: EthPeer, cause: unknown) => void
}

export type TransactionFetcher = {
  /** To be called when a peer announces transactions. */
  announced(peer: EthPeer, announcements: readonly TransactionAnnouncement[]): void
  /** Requests transactions by hash; returns the encodings that the peer delivers. @throws NetworkError, RlpError */
  fetch(peer: EthPeer, hashes: readonly Hash[]): Promise<readonly Uint8Array[]>
  stop(): void
}

type State = {
  readonly options: FetcherOptions
  readonly waiting: Map<EthPeer, Waiting>
  /** By hash: other peers that announced it. */
  readonly fetching: Map<string, EthPeer[]>
}

const takeBatch = (queue: TransactionAnnouncement[], isWanted: (hash: Hash) => boolean): Hash[] => {
  const hashes: Hash[] = []
  let bytes = 0
  while (hashes.length < HASHES_AT_ONCE && bytes < BYTES_AT_ONCE) {
    const next = queue.shift()
    if (next === undefined) break
    if (!isWanted(next.hash)) continue
    hashes.push(next.hash)
    bytes += next.size ?? ASSUMED_BYTES
  }
  return hashes
}

const fetch = async (peer: EthPeer, hashes: readonly Hash[]): Promise<readonly Uint8Array[]> => {
  const content = await peer.requests.ask(
    ETH.pooledTransactions,
    id => sendEth(peer, ETH.getPooledTransactions, encodeHashes(id, hashes)),
    { signal: peer.controller.signal },
  )
  return decodeTransactions(content)
}

const enqueue = (state: State, peer: EthPeer, announcement: TransactionAnnouncement): void => {
  const known = state.waiting.get(peer) ?? { queue: [], timer: undefined, requests: 0 }
  state.waiting.set(peer, known)
  if (known.queue.length >= WAITING_MAX) return void state.fetching.delete(toBareHex(announcement.hash))
  known.queue.push(announcement)
  known.timer ??= setTimeout(() => {
    known.timer = undefined
    work(state, peer, known)
  }, BATCH_MS)
}

/** Those that did not come are fetched from others who announced them. */
const finish = (state: State, hashes: readonly Hash[]): void => {
  for (const hash of hashes) {
    const key = toBareHex(hash)
    const others = state.fetching.get(key) ?? []
    state.fetching.delete(key)
    if (state.options.isSeen(hash)) continue
    const next = others.find(other => !other.controller.signal.aborted)
    if (next === undefined) continue
    state.fetching.set(
      key,
      others.filter(other => other !== next),
    )
    enqueue(state, next, { hash, type: undefined, size: undefined })
  }
}

const finishQueue = (state: State, { queue }: Waiting): void =>
  finish(
    state,
    queue.splice(0).map(({ hash }) => hash),
  )

const request = async (
  state: State,
  peer: EthPeer,
  entry: Waiting,
  hashes: readonly Hash[],
): Promise<void> => {
  const { options } = state
  entry.requests++
  try {
    const transactions = await fetch(peer, hashes)
    if (transactions.length > 0) options.onTransactions(peer, transactions)
  } catch (cause) {
    if (!peer.controller.signal.aborted) options.onBadAnswer(peer, cause)
    options.log.debug('Transactions of {peer} were not fetched: {reason}', {
      peer: nameOf(peer.session),
      reason: errorText(cause),
    })
    // A peer that does not deliver must not hold up what it announced: each request would take until its timeout.
    finishQueue(state, entry)
  } finally {
    entry.requests--
    finish(state, hashes)
    work(state, peer, entry)
  }
}

const work = (state: State, peer: EthPeer, entry: Waiting): void => {
  if (peer.controller.signal.aborted) {
    state.waiting.delete(peer)
    return finishQueue(state, entry)
  }
  while (entry.requests < REQUESTS_MAX) {
    const hashes = takeBatch(entry.queue, hash => !state.options.isSeen(hash))
    if (hashes.length === 0) break
    void request(state, peer, entry, hashes)
  }
  const isDone = entry.requests === 0 && entry.queue.length === 0 && entry.timer === undefined
  if (isDone) state.waiting.delete(peer)
}

const announced = (state: State, peer: EthPeer, announcement: TransactionAnnouncement): void => {
  const { options, fetching } = state
  if (options.isSeen(announcement.hash)) return
  const key = toBareHex(announcement.hash)
  const others = fetching.get(key)
  if (others !== undefined) {
    if (others.length < ANNOUNCERS_MAX) others.push(peer)
    return
  }
  setBounded(fetching, key, [], FETCHING_MAX)
  enqueue(state, peer, announcement)
}

/** Fetches announced transactions, each from one announcer, and from another when that one does not deliver it. */
export const createTransactionFetcher = (options: FetcherOptions): TransactionFetcher => {
  const state: State = { options, waiting: new Map(), fetching: new Map() }
  return {
    fetch,
    announced: (peer, announcements) => {
      for (const announcement of announcements) announced(state, peer, announcement)
    },
    stop: () => {
      for (const { timer } of state.waiting.values()) clearTimeout(timer)
      state.waiting.clear()
    },
  }
}
