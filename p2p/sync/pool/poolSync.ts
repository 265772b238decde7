import { errorText } from '../../../core/text/errorText.ts'
import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import { includesAddress } from '../../../core/validators/votes.ts'
import type { Network, Peer } from '../../network.ts'
import type { SyncContext } from '../context.ts'
import { joinHashes, splitHashes } from '../../gossip/joinedHashes.ts'
import type { TransactionReceiver } from './transactionReceiver.ts'

/**
 * Delay of the second fetch from a peer that connected. By then it has joined the gossip: transactions that it received
 * before are in its pool, and were not gossiped to this node.
 */
const SECOND_FETCH_MS = 2_000

/** Transactions of one request. */
const CHUNK_TRANSACTIONS = 512

/** Time limit of one fetch: other peers wait for their turn. */
const FETCH_TIMEOUT_MS = 60_000

/** Failed fetches after which a peer is ignored until it reconnects. */
const FAILURES_MAX = 3

/** Further behind than this, a node would validate transactions by an old state. */
const BEHIND_BLOCKS_MAX = 1n

/** A fetch that is planned. */
type Fetch = { readonly dueMs: number; readonly isFirst: boolean; readonly failures: number }

export type PoolSyncOptions = SyncContext & {
  readonly pool: TransactionPool
  readonly network: () => Network | undefined
  readonly receiver: Pick<TransactionReceiver, 'receive' | 'wants'>
  /** True while this node syncs. */
  readonly isSyncing: () => boolean
}

export type PoolSync = {
  /** To be called when a peer connected, or its gossip resumed after a gap: each side may lack transactions of the other. */
  readonly fetch: (peer: Peer) => void
  /** To be called on a new head, and when the node is synced. */
  readonly update: () => void
  stop(): Promise<void>
}

type State = PoolSyncOptions & {
  /** By the address of the peer as hex digits. */
  readonly planned: Map<string, Fetch>
  readonly stopping: AbortController
  running: Promise<void> | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

const peerOf = (network: Network, key: string): Peer | undefined =>
  network.peers().find(({ address }) => toBareHex(address) === key)

const isLevelWith = ({ isSyncing, chain }: State, { status }: Peer): boolean =>
  !isSyncing() && chain.head().header.number + BEHIND_BLOCKS_MAX >= status.headNumber

const fetchUnknownHashes = async (
  { pool, receiver }: State,
  network: Network,
  peer: Peer,
  signal: AbortSignal,
): Promise<readonly Hash[]> => {
  const found: Hash[] = []
  const hashesMax = pool.limits.transactionsMax
  for await (const joined of network.requestPoolHashes(peer, signal))
    for (const hash of splitHashes(joined))
      if (found.length < hashesMax && receiver.wants(hash)) found.push(hash.slice())
  return found
}

/** True if a peer of this node is not connected with that peer: it needs the transactions forwarded. */
const mustForward = (network: Network, { address, status }: Peer): boolean =>
  network
    .peers()
    .some(other => !equalBytes(other.address, address) && !includesAddress(status.neighbours, other.address))

/** Fetches transactions by hash. Returns how many arrived. */
const fetchChunk = async (
  { pool, receiver }: State,
  network: Network,
  peer: Peer,
  hashes: readonly Hash[],
  signal: AbortSignal,
): Promise<number> => {
  const transactions: Uint8Array[] = []
  for await (const encoded of network.requestPoolTransactions(peer, joinHashes(hashes), signal))
    transactions.push(encoded)
  await receiver.receive(peer, transactions)
  if (mustForward(network, peer)) {
    const added = transactions.filter(encoded => pool.get(keccak256(encoded)) !== undefined)
    if (added.length > 0) network.announceTransactions(added)
  }
  return transactions.length
}

const fetchPool = async (state: State, network: Network, peer: Peer): Promise<void> => {
  const { receiver, stopping, log } = state
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)])
  let hashes = await fetchUnknownHashes(state, network, peer, signal)
  let fetched = 0
  while (hashes.length > 0 && !signal.aborted) {
    const chunk = hashes.slice(0, CHUNK_TRANSACTIONS)
    const count = await fetchChunk(state, network, peer, chunk, signal)
    fetched += count
    // A long answer is cut short: the rest of the chunk is requested first in the next one.
    const rest = count === 0 ? [] : chunk.filter(hash => receiver.wants(hash))
    hashes = [...(rest.length < chunk.length ? rest : []), ...hashes.slice(CHUNK_TRANSACTIONS)]
  }
  if (fetched > 0)
    log.debug('Fetched {fetched} transactions from the pool of {peer}', { fetched, peer: peer.enode })
}

const run = async (state: State, key: string, fetch: Fetch, network: Network, peer: Peer): Promise<void> => {
  const { planned, log, nowMs } = state
  planned.delete(key)
  try {
    await fetchPool(state, network, peer)
    if (fetch.isFirst) planned.set(key, { dueMs: nowMs() + SECOND_FETCH_MS, isFirst: false, failures: 0 })
  } catch (error) {
    log.debug('The pool of {peer} was not fetched: {reason}', { peer: peer.enode, reason: errorText(error) })
    const failures = fetch.failures + 1
    if (failures < FAILURES_MAX) planned.set(key, { ...fetch, dueMs: nowMs() + SECOND_FETCH_MS, failures })
  }
}

const update = (state: State): void => {
  const { planned, stopping, nowMs } = state
  const network = state.network()
  if (stopping.signal.aborted || state.running !== undefined || network === undefined) return
  clearTimeout(state.timer)
  let nextMs = Number.POSITIVE_INFINITY
  for (const [key, fetch] of planned) {
    const peer = peerOf(network, key)
    if (peer === undefined) planned.delete(key)
    else if (fetch.dueMs > nowMs()) nextMs = Math.min(nextMs, fetch.dueMs)
    else if (isLevelWith(state, peer)) {
      state.running = run(state, key, fetch, network, peer).finally(() => {
        state.running = undefined
        update(state)
      })
      return
    }
  }
  if (nextMs !== Number.POSITIVE_INFINITY)
    state.timer = setTimeout(() => update(state), Math.max(1, nextMs - nowMs()))
}

/**
 * Fetches the transactions that the pools of the peers have and the own one lacks: after each connect it requests the hashes
 * of the whole pool, then the unknown transactions. One peer at a time, so that nothing is fetched twice.
 */
export const createPoolSync = (options: PoolSyncOptions): PoolSync => {
  const state: State = {
    ...options,
    planned: new Map(),
    stopping: new AbortController(),
    running: undefined,
    timer: undefined,
  }
  return {
    fetch: ({ address }) => {
      state.planned.set(toBareHex(address), { dueMs: state.nowMs(), isFirst: true, failures: 0 })
      update(state)
    },
    update: () => update(state),
    stop: async () => {
      clearTimeout(state.timer)
      state.stopping.abort()
      await state.running
    },
  }
}
