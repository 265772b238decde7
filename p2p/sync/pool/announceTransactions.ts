import type { Hash } from '../../../core/bytes/bytes.ts'
import type { PooledTransaction, TransactionPool } from '../../../core/txpool/pool.ts'
import type { Network } from '../../network.ts'

/**
 * Part of the room for unknown senders up to which their transactions are announced at once. Above it somebody probably invents
 * senders. The pools of the peers are then about as full: they would recover a sender for each announced transaction, refuse
 * most, throttle this node, and validate the transactions of known senders late.
 */
const UNKNOWN_SHARE_AT_ONCE = 0.5

/** Interval between two messages of unknown senders that wait, and the transactions of one: half of what a throttled peer may send. */
const UNKNOWN_INTERVAL_MS = 200
const UNKNOWN_TRANSACTIONS = 10

/** Hashes of unknown senders that wait: as many as their part of a pool of the default size. The oldest is forgotten first. */
const UNKNOWN_WAITING_MAX = 4_096

export type AnnounceOptions = {
  readonly pool: Pick<TransactionPool, 'get' | 'isKnown' | 'onAdded' | 'unknownShareUsed'>
  readonly network: () => Pick<Network, 'announceTransactions'> | undefined
}

type State = AnnounceOptions & {
  readonly waiting: Hash[]
  timer: ReturnType<typeof setTimeout> | undefined
}

const announceWaiting = (state: State): void => {
  const { pool, network, waiting } = state
  state.timer = undefined
  const encoded: Uint8Array[] = []
  while (encoded.length < UNKNOWN_TRANSACTIONS) {
    const hash = waiting.shift()
    if (hash === undefined) break
    // Blocks include transactions, and full pools evict them, while they wait here.
    const pooled = pool.get(hash)
    if (pooled !== undefined) encoded.push(pooled.transaction.encoded)
  }
  if (encoded.length > 0) network()?.announceTransactions(encoded)
  if (waiting.length > 0) state.timer = setTimeout(() => announceWaiting(state), UNKNOWN_INTERVAL_MS)
}

const announceLater = (state: State, hash: Hash): void => {
  state.waiting.push(hash)
  if (state.waiting.length > UNKNOWN_WAITING_MAX) state.waiting.shift()
  state.timer ??= setTimeout(() => announceWaiting(state), UNKNOWN_INTERVAL_MS)
}

/**
 * Announces the transactions that this node received over JSON-RPC: those of known senders at once, those of unknown ones slowly
 * when there are many. Those of peers are forwarded by gossip itself, and peers that connect later fetch the pool (poolSync.ts).
 * @returns the function that stops it
 */
export const startAnnouncingTransactions = (options: AnnounceOptions): (() => void) => {
  const { pool, network } = options
  const state: State = { ...options, waiting: [], timer: undefined }
  const unsubscribe = pool.onAdded(({ local, sender, transaction }: PooledTransaction) => {
    if (!local) return
    if (pool.isKnown(sender) || pool.unknownShareUsed <= UNKNOWN_SHARE_AT_ONCE)
      network()?.announceTransactions([transaction.encoded])
    else announceLater(state, transaction.hash)
  })
  return () => {
    unsubscribe()
    clearTimeout(state.timer)
  }
}
