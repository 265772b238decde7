import type { Hash } from '../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../core/bytes/hex.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { DecodeError } from '../../core/chain/codec/error.ts'
import { decodeTransaction } from '../../core/chain/codec/transaction.ts'
import type { SenderTransaction, Transaction } from '../../core/chain/transaction.ts'
import { keccak256 } from '../../core/crypto/crypto.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../core/txpool/limits.ts'
import type { PoolHead, TransactionPool } from '../../core/txpool/pool.ts'
import { type RejectionCode, TransactionRejected } from '../../core/txpool/rejection.ts'
import type { Network, Peer } from '../../p2p/network.ts'
import { createRecentHashes } from '../../p2p/gossip/recentHashes.ts'
import type { Log } from '../logging/log.ts'
import type { RecoverSenders } from '../threads/recovery/recoverSenders.ts'
import { createSlice } from '../schedule.ts'
import { createUnpaidTransactions } from './unpaidTransactions.ts'

/** Transactions whose senders are recovered together: what the threads do in some ten milliseconds. */
const BATCH_TRANSACTIONS = 128

/** What waits for its turn, of all peers and of one: nobody alone can keep the others' out. */
const WAITING_TRANSACTIONS_MAX = 16_384
const WAITING_OF_PEER_MAX = 8_192
const WAITING_BYTES_MAX = 32 * 1024 * 1024

/** Hashes of transactions that need not be looked at again; about 10 MB, and half a minute to a minute of 1,000 a second. */
const SEEN_MAX = 65_536

/** Refusals that nobody can make good: the same transaction is not looked at again. Others depend on the moment. */
const FINAL: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  'ALREADY_KNOWN',
  'NONCE_TOO_LOW',
  'INVALID_TYPE',
  'WRONG_CHAIN_ID',
  'INVALID_SIGNATURE',
  'TOO_LARGE',
  'NONCE_OVERFLOW',
  'UPFRONT_COST_OVERFLOW',
  'INTRINSIC_GAS',
  'PRIORITY_FEE_ABOVE_MAX_FEE',
])

type Waiting = { readonly peer: Peer; readonly encoded: Uint8Array; readonly hash: Hash }

export type ReceiveTransactionsOptions = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly poolHead: () => PoolHead
  readonly recoverSenders: RecoverSenders
  readonly network: () => Network | undefined
  readonly log: Log
  readonly nowMs: () => number
}

export type TransactionReceiver = {
  /** EIP-2718 encodings that a peer told of. Returns at once. */
  receive(peer: Peer, transactions: readonly Uint8Array[]): void
  /** False for a transaction that is in the pool, was mined lately or was refused for good. */
  wants(hash: Hash): boolean
  /** Resolves when what was received before has been judged. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** Takes transactions of peers into the pool: decoded, senders recovered in batches, judged by the pool's own rules. */
export const createTransactionReceiver = (options: ReceiveTransactionsOptions): TransactionReceiver => {
  const { chain, pool, poolHead, recoverSenders, network, log, nowMs } = options
  const seen = createRecentHashes(SEEN_MAX)
  const ofPeer = new Map<string, number>()
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let working: Promise<void> | undefined
  let stopped = false
  /** Of the batch that is being judged. */
  let batchCount = 0
  let judgedCount = 0
  let settling: { readonly afterCount: number; readonly resolve: () => void }[] = []

  const tellSettled = (): void => {
    const isOver = stopped && working === undefined
    for (const { afterCount, resolve } of settling) if (isOver || afterCount <= judgedCount) resolve()
    settling = settling.filter(({ afterCount }) => !isOver && afterCount > judgedCount)
  }

  const blame = ({ address, enode }: Peer, detail: string): void => {
    log.debug('A transaction of {peer} is not used: {detail}', { peer: enode, detail })
    network()?.reportMisbehaviour(address, 'invalid-transaction', detail)
  }

  const put = (peer: Peer, encoded: Uint8Array): void => {
    const peerKey = toBareHex(peer.address)
    const count = ofPeer.get(peerKey) ?? 0
    const full =
      count >= WAITING_OF_PEER_MAX ||
      waiting.length >= WAITING_TRANSACTIONS_MAX ||
      waitingBytes + encoded.length > WAITING_BYTES_MAX
    if (full) return
    const hash = keccak256(encoded)
    if (!seen.add(hash)) return
    ofPeer.set(peerKey, count + 1)
    waitingBytes += encoded.length
    waiting.push({ peer, encoded, hash })
  }

  const next = (): readonly Waiting[] => {
    const batch = waiting.slice(0, BATCH_TRANSACTIONS)
    waiting = waiting.slice(BATCH_TRANSACTIONS)
    for (const { peer, encoded } of batch) {
      waitingBytes -= encoded.length
      const peerKey = toBareHex(peer.address)
      const left = (ofPeer.get(peerKey) ?? 1) - 1
      if (left > 0) ofPeer.set(peerKey, left)
      else ofPeer.delete(peerKey)
    }
    return batch
  }

  const decode = ({ peer, encoded }: Waiting): Transaction | undefined => {
    try {
      return decodeTransaction(encoded)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      blame(peer, error.message)
      return undefined
    }
  }

  const admit = (sent: SenderTransaction): Promise<RejectionCode | undefined> =>
    chain.store.run(() => {
      try {
        pool.add(sent, poolHead(), { local: false, addedAtMs: nowMs() })
        return undefined
      } catch (error) {
        if (error instanceof TransactionRejected) return error.code
        throw error
      }
    })

  const retryPause = createSlice()
  const retry = async (sent: SenderTransaction): Promise<boolean> => {
    await retryPause()
    if (stopped || pool.get(sent.transaction.hash) !== undefined) return false
    return (await admit(sent)) === 'INSUFFICIENT_FUNDS'
  }
  const unpaid = createUnpaidTransactions(pool, retry, error =>
    log.error('Transactions of peers could not be taken into the pool: {error}', { error }),
  )
  const unsubscribeHead = chain.onHead(() => unpaid.onHead())

  const workOn = async (batch: readonly Waiting[], pause: () => Promise<void>): Promise<void> => {
    const decoded: { readonly from: Waiting; readonly transaction: Transaction }[] = []
    for (const from of batch) {
      const transaction = decode(from)
      if (transaction !== undefined) decoded.push({ from, transaction })
      await pause()
    }
    const senders = await recoverSenders(decoded.map(({ transaction }) => transaction))
    for (const [index, { from, transaction }] of decoded.entries()) {
      const sender = senders[index]
      // Passed on before that shows: whose fault it is nobody can tell.
      if (sender === undefined) {
        log.debug('Transaction {hash} of {peer} is signed by no key', {
          hash: toHex(from.hash),
          peer: from.peer.enode,
        })
        continue
      }
      const sent: SenderTransaction = { transaction, sender }
      const rejection = await admit(sent)
      if (rejection === 'INSUFFICIENT_FUNDS') unpaid.keep(sent)
      if (rejection !== undefined && !FINAL.has(rejection)) seen.delete(from.hash)
      await pause()
    }
  }

  const work = async (): Promise<void> => {
    const pause = createSlice()
    for (;;) {
      const batch = stopped ? [] : next()
      if (batch.length === 0) return
      batchCount = batch.length
      try {
        await workOn(batch, pause)
      } catch (error) {
        for (const { hash } of batch) seen.delete(hash)
        log.error('Transactions of peers could not be taken into the pool: {error}', { error })
      }
      batchCount = 0
      judgedCount += batch.length
      tellSettled()
    }
  }

  const begin = (): void => {
    if (working !== undefined || stopped || waiting.length === 0) return
    working = work().finally(() => {
      working = undefined
      tellSettled()
      begin()
    })
  }

  const unsubscribe = pool.onAdded(({ transaction }) => void seen.add(transaction.hash))

  return {
    receive: (peer, transactions) => {
      for (const encoded of transactions) {
        if (encoded.length > POOL_TRANSACTION_BYTES_MAX)
          blame(
            peer,
            `a transaction of ${encoded.length} bytes; ${POOL_TRANSACTION_BYTES_MAX} at most are taken`,
          )
        else put(peer, encoded)
      }
      begin()
    },
    wants: hash => !seen.has(hash) && pool.get(hash) === undefined,
    settled: () =>
      new Promise(resolve => {
        settling.push({ afterCount: judgedCount + waiting.length + batchCount, resolve })
        tellSettled()
      }),
    stop: async () => {
      stopped = true
      unsubscribe()
      unsubscribeHead()
      unpaid.stop()
      await working
    },
  }
}
