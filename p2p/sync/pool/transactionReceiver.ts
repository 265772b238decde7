import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import { decodeTransaction } from '../../../core/block/codec/transaction.ts'
import type { SenderTransaction, Transaction } from '../../../core/block/transaction.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../../core/txpool/limits.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import { type RejectionCode, TransactionRejected } from '../../../core/txpool/rejection.ts'
import type { Network, Peer } from '../../network.ts'
import { createRecentHashes } from '../../gossip/recentHashes.ts'
import type { Log } from '../../log.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import type { CreateYield } from '../../yieldTurn.ts'
import { createMessageJudgement, type MessageJudgement, type Verdict } from './messageValidation.ts'
import { createPeerQueues } from './peerQueues.ts'
import { createPeerStandings } from './peerUsefulness.ts'
import { createUnpaidTransactions } from './unpaidTransactions.ts'

/** Transactions whose senders are recovered together: what the threads do in some ten milliseconds. */
const BATCH_TRANSACTIONS = 128

/** What waits for its turn, of one peer and of all: some seconds of work. */
const WAITING = { ofPeerMax: 8_192, itemsMax: 16_384, bytesMax: 32 * 1024 * 1024 }

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

type Waiting = {
  readonly peer: Peer
  readonly encoded: Uint8Array
  readonly hash: Hash
  readonly message: MessageJudgement
}

type Admission = { readonly rejection: RejectionCode | undefined; readonly verdict: Verdict }

const verdictOn = (code: RejectionCode, { sender }: SenderTransaction, head: PoolHead): Verdict => {
  if (code === 'ALREADY_KNOWN' || code === 'NONCE_TOO_LOW') return 'known'
  if (FINAL.has(code)) return 'worthless'
  return head.nonce(sender) > 0n || head.balance(sender) > 0n ? 'useful' : 'worthless'
}

export type ReceiveTransactionsOptions = {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly poolHead: () => PoolHead
  readonly recoverSenders: RecoverSenders
  readonly network: () => Network | undefined
  readonly log: Log
  readonly nowMs: () => number
  readonly createYield: CreateYield
}

export type TransactionReceiver = {
  /**
   * Judges the EIP-2718 encodings of one message of a peer, in turn with those of other peers. Resolves when all of them are
   * judged or dropped: true where the message is to be forwarded.
   */
  receive(peer: Peer, transactions: readonly Uint8Array[]): Promise<boolean>
  /** False for a transaction that is in the pool, was mined lately or was refused for good. */
  wants(hash: Hash): boolean
  stop(): Promise<void>
}

/** Takes transactions of peers into the pool: decoded, senders recovered in batches, judged by the pool's own rules. */
export const createTransactionReceiver = (options: ReceiveTransactionsOptions): TransactionReceiver => {
  const { chain, pool, poolHead, recoverSenders, network, log, nowMs, createYield } = options
  const seen = createRecentHashes(SEEN_MAX)
  const waiting = createPeerQueues<Waiting>(
    WAITING,
    ({ encoded }) => encoded.length,
    ({ message }) => message.judged('dropped'),
  )
  const standings = createPeerStandings(nowMs)
  let working: Promise<void> | undefined
  let stopped = false

  const blame = ({ address, enode }: Peer, detail: string): void => {
    log.debug('A transaction of {peer} is not used: {detail}', { peer: enode, detail })
    network()?.reportMisbehaviour(address, 'invalid-transaction', detail)
  }

  const put = (peer: Peer, encoded: Uint8Array, message: MessageJudgement): void => {
    if (encoded.length > POOL_TRANSACTION_BYTES_MAX) {
      blame(peer, `a transaction of ${encoded.length} bytes; ${POOL_TRANSACTION_BYTES_MAX} at most are taken`)
      return message.judged('worthless')
    }
    const peerKey = toBareHex(peer.address)
    if (stopped || !standings.admits(peerKey)) return message.judged('dropped')
    const hash = keccak256(encoded)
    if (seen.has(hash)) return message.judged('known')
    if (!waiting.put(peerKey, { peer, encoded, hash, message })) message.judged('dropped')
  }

  /** A copy that waits in the queue of a peer that floods does not hold up the one of another peer: the first to have its turn counts. */
  const next = (): readonly Waiting[] =>
    waiting.take(BATCH_TRANSACTIONS).filter(({ hash, message }) => {
      const isNew = seen.add(hash)
      if (!isNew) message.judged('known')
      return isNew
    })

  const decode = ({ peer, encoded }: Waiting): Transaction | undefined => {
    try {
      return decodeTransaction(encoded)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      blame(peer, error.message)
      return undefined
    }
  }

  const admit = (sent: SenderTransaction): Promise<Admission> =>
    chain.store.run(() => {
      const head = poolHead()
      try {
        pool.add(sent, head, { local: false, addedAtMs: nowMs() })
        return { rejection: undefined, verdict: 'useful' }
      } catch (error) {
        if (!(error instanceof TransactionRejected)) throw error
        return { rejection: error.code, verdict: verdictOn(error.code, sent, head) }
      }
    })

  /** The message that a kept transaction came with. */
  const keptFrom = new WeakMap<SenderTransaction, MessageJudgement>()
  const retryPause = createYield()
  const retry = async (sent: SenderTransaction): Promise<boolean> => {
    await retryPause()
    if (stopped || pool.get(sent.transaction.hash) !== undefined) return false
    const { rejection } = await admit(sent)
    // Its message ended here if nothing else in it was useful: the others have it from this node then.
    if (rejection === undefined && (await keptFrom.get(sent)?.isForwarded) === false)
      network()?.announceTransactions([sent.transaction.encoded])
    return rejection === 'INSUFFICIENT_FUNDS'
  }
  const unpaid = createUnpaidTransactions(pool, retry, error =>
    log.error('Transactions of peers could not be taken into the pool: {error}', { error }),
  )
  const unsubscribeHead = chain.onHead(() => unpaid.onHead())

  const judge = async (from: Waiting, sent: SenderTransaction): Promise<Verdict> => {
    const { rejection, verdict } = await admit(sent)
    if (rejection === 'INSUFFICIENT_FUNDS') {
      keptFrom.set(sent, from.message)
      unpaid.keep(sent)
    }
    if (rejection !== undefined && !FINAL.has(rejection)) seen.delete(from.hash)
    return verdict
  }

  const workOn = async (batch: readonly Waiting[], pause: () => Promise<void>): Promise<void> => {
    const decoded: { readonly from: Waiting; readonly transaction: Transaction }[] = []
    for (const from of batch) {
      const transaction = decode(from)
      if (transaction !== undefined) decoded.push({ from, transaction })
      await pause()
    }
    const senders = await recoverSenders(decoded.map(({ transaction }) => transaction))
    const verdicts = new Map<Waiting, Verdict>()
    for (const [index, { from, transaction }] of decoded.entries()) {
      const sender = senders[index]
      // A node that catches up forwards it unjudged: whose fault it is nobody can tell.
      if (sender === undefined)
        log.debug('Transaction {hash} of {peer} is signed by no key', {
          hash: toHex(from.hash),
          peer: from.peer.enode,
        })
      else verdicts.set(from, await judge(from, { transaction, sender }))
      await pause()
    }
    for (const from of batch) {
      const verdict = verdicts.get(from) ?? 'worthless'
      standings.judged(toBareHex(from.peer.address), verdict)
      from.message.judged(verdict)
    }
  }

  const work = async (): Promise<void> => {
    const pause = createYield()
    for (;;) {
      if (stopped || waiting.size === 0) return
      const batch = next()
      try {
        await workOn(batch, pause)
      } catch (error) {
        for (const { hash, message } of batch) {
          seen.delete(hash)
          message.judged('dropped')
        }
        log.error('Transactions of peers could not be taken into the pool: {error}', { error })
      }
      await pause()
    }
  }

  const begin = (): void => {
    if (working !== undefined || stopped || waiting.size === 0) return
    working = work().finally(() => {
      working = undefined
      begin()
    })
  }

  const unsubscribe = pool.onAdded(({ transaction }) => void seen.add(transaction.hash))

  return {
    receive: (peer, transactions) => {
      const message = createMessageJudgement(transactions.length)
      for (const encoded of transactions) put(peer, encoded, message)
      begin()
      return message.isForwarded
    },
    wants: hash => !seen.has(hash) && pool.get(hash) === undefined,
    stop: async () => {
      stopped = true
      unsubscribe()
      unsubscribeHead()
      unpaid.stop()
      for (const { message } of waiting.clear()) message.judged('dropped')
      await working
    },
  }
}
