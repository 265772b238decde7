import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import { includesAddress } from '../../../core/validators/votes.ts'
import { textOf } from '../../error.ts'
import type { Network, Peer } from '../../network.ts'
import type { Log } from '../../log.ts'
import { joinHashes, splitHashes } from './joinedHashes.ts'
import type { TransactionReceiver } from './transactionReceiver.ts'

/**
 * Delay of the second request to a node that connected. It has joined the gossip by then: what it was sent in between is
 * in its pool, and was not gossiped to this node.
 */
const AGAIN_AFTER_MS = 2_000

/** Transactions of one request. */
const CHUNK_TRANSACTIONS = 512

/** Longest time for the pool of one peer, whatever it still sends: others wait for their turn. */
const FETCH_MS_MAX = 60_000

/** Failed requests after which a peer is left alone until it connects again. */
const FAILURES_MAX = 3

/** A node that is further behind would judge transactions by an old state. */
const BEHIND_BLOCKS_MAX = 1n

type Due = { atMs: number; again: boolean; failures: number }

export type PoolSyncOptions = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly network: () => Network | undefined
  readonly receiver: Pick<TransactionReceiver, 'receive' | 'wants'>
  /** True while this node catches up. */
  readonly isSyncing: () => boolean
  readonly log: Log
  readonly nowMs: () => number
}

export type PoolSync = {
  /** The peer connected, or gossip with it goes on after a gap: either side may lack transactions of the other. */
  readonly ask: (peer: Peer) => void
  /** The chain has a new head, or the node has caught up. */
  readonly consider: () => void
  stop(): Promise<void>
}

/**
 * Fetches what the pools of the connected nodes have and the own one lacks: on each connect the hashes of the whole pool
 * are listed, and the unknown transactions requested. One peer at a time, so that nothing is fetched twice.
 */
export const createPoolSync = (options: PoolSyncOptions): PoolSync => {
  const { chain, pool, network, receiver, isSyncing, log, nowMs } = options
  const due = new Map<string, Due>()
  const controller = new AbortController()
  let running: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const peerOf = (key: string): Peer | undefined =>
    network()
      ?.peers()
      .find(({ address }) => toBareHex(address) === key)

  const isLevelWith = ({ status }: Peer): boolean =>
    !isSyncing() && chain.head().header.number + BEHIND_BLOCKS_MAX >= status.headNumber

  const unknownHashes = async (over: Network, peer: Peer, signal: AbortSignal): Promise<readonly Hash[]> => {
    const found: Hash[] = []
    const room = pool.limits.transactionsMax
    for await (const joined of over.requestPoolHashes(peer, signal))
      for (const hash of splitHashes(joined))
        if (found.length < room && receiver.wants(hash)) found.push(hash.slice())
    return found
  }

  /** Nodes that this one is connected with and the peer is not: what comes from it has to be passed on to them. */
  const passesOn = (over: Network, { address, status }: Peer): boolean =>
    over
      .peers()
      .some(
        other => !equalBytes(other.address, address) && !includesAddress(status.neighbours, other.address),
      )

  const fetchChunk = async (
    over: Network,
    peer: Peer,
    hashes: readonly Hash[],
    signal: AbortSignal,
  ): Promise<number> => {
    const transactions: Uint8Array[] = []
    for await (const encoded of over.requestPoolTransactions(peer, joinHashes(hashes), signal))
      transactions.push(encoded)
    await receiver.receive(peer, transactions)
    if (passesOn(over, peer)) {
      const taken = transactions.filter(encoded => pool.get(keccak256(encoded)) !== undefined)
      if (taken.length > 0) over.announceTransactions(taken)
    }
    return transactions.length
  }

  const fetchFrom = async (over: Network, peer: Peer): Promise<void> => {
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(FETCH_MS_MAX)])
    let hashes = await unknownHashes(over, peer, signal)
    let fetched = 0
    while (hashes.length > 0 && !signal.aborted) {
      const chunk = hashes.slice(0, CHUNK_TRANSACTIONS)
      const count = await fetchChunk(over, peer, chunk, signal)
      fetched += count
      // A list ends early when it is long: the rest of the chunk comes first in the next one.
      const rest = count === 0 ? [] : chunk.filter(hash => receiver.wants(hash))
      hashes = [...(rest.length < chunk.length ? rest : []), ...hashes.slice(CHUNK_TRANSACTIONS)]
    }
    if (fetched > 0)
      log.debug('Fetched {fetched} transactions from the pool of {peer}', { fetched, peer: peer.enode })
  }

  const run = async (key: string, one: Due, over: Network, peer: Peer): Promise<void> => {
    due.delete(key)
    try {
      await fetchFrom(over, peer)
      if (one.again) due.set(key, { atMs: nowMs() + AGAIN_AFTER_MS, again: false, failures: 0 })
    } catch (error) {
      log.debug('The pool of {peer} was not fetched: {reason}', { peer: peer.enode, reason: textOf(error) })
      const failures = one.failures + 1
      if (failures < FAILURES_MAX) due.set(key, { ...one, atMs: nowMs() + AGAIN_AFTER_MS, failures })
    }
  }

  const consider = (): void => {
    const over = network()
    if (controller.signal.aborted || running !== undefined || over === undefined) return
    clearTimeout(timer)
    let nextMs = Number.POSITIVE_INFINITY
    for (const [key, one] of due) {
      const peer = peerOf(key)
      if (peer === undefined) due.delete(key)
      else if (one.atMs > nowMs()) nextMs = Math.min(nextMs, one.atMs)
      else if (isLevelWith(peer)) {
        running = run(key, one, over, peer).finally(() => {
          running = undefined
          consider()
        })
        return
      }
    }
    if (nextMs !== Number.POSITIVE_INFINITY) timer = setTimeout(consider, Math.max(1, nextMs - nowMs()))
  }

  return {
    ask: ({ address }) => {
      due.set(toBareHex(address), { atMs: nowMs(), again: true, failures: 0 })
      consider()
    },
    consider,
    stop: async () => {
      clearTimeout(timer)
      controller.abort()
      await running
    },
  }
}
