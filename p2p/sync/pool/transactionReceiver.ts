import { DecodeError } from '../../../core/block/codec/error.ts'
import { decodeTransaction } from '../../../core/block/codec/transaction.ts'
import type { RecoveredTransaction, Transaction } from '../../../core/block/transaction.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../../core/txpool/limits.ts'
import { createRecentHashes, type RecentHashes } from '../../gossip/recentHashes.ts'
import type { Log } from '../../log.ts'
import type { Network, Peer, TransactionsResult } from '../../network.ts'
import type { CreateYield, YieldTurn } from '../../../core/scheduler.ts'
import { type AdmissionOptions, admit } from './admission.ts'
import {
  createMessageValidation,
  type MessageValidation,
  type ValidationResult,
} from './messageValidation.ts'
import { createPeerUsefulness, type PeerUsefulness } from './peerUsefulness.ts'
import { createUnpaidTransactions, type UnpaidTransactions } from './unpaidTransactions.ts'
import {
  clearValidationQueues,
  createValidationQueues,
  dequeueBatch,
  enqueueFirst,
  type Source,
  type ValidationQueues,
  waitingCount,
} from './validationQueues.ts'

/** Hashes of transactions that need no validation: about 10 MB, and a minute at 1,000 transactions a second. */
const SEEN_MAX = 65_536

export type TransactionReceiverOptions = AdmissionOptions & {
  readonly recoverSenders: RecoverSenders
  readonly network: () => Network | undefined
  readonly log: Log
  readonly createYield: CreateYield
}

export type TransactionReceiver = {
  /**
   * Validates the EIP-2718 encodings of one message, alternating with those of other peers. Resolves when all of them are
   * validated or dropped.
   */
  receive(peer: Peer, transactions: readonly Uint8Array[]): Promise<TransactionsResult>
  /** False for a transaction that is in the pool, was mined lately, or was finally rejected. */
  wants(hash: Hash): boolean
  stop(): Promise<void>
}

/** A transaction that waits for validation. */
type Waiting = {
  readonly peer: Peer
  readonly encoded: Uint8Array
  readonly hash: Hash
  readonly message: MessageValidation
  readonly source: Source
}

type State = TransactionReceiverOptions & {
  readonly seen: RecentHashes
  readonly queues: ValidationQueues<Waiting>
  readonly usefulness: PeerUsefulness
  readonly unpaid: UnpaidTransactions
  /** The message that an unpaid transaction came with. */
  readonly messageOf: WeakMap<
    RecoveredTransaction,
    Pick<MessageValidation, 'isForwarded'> & { readonly isOverDevp2p: boolean }
  >
  readonly yieldRetry: YieldTurn
  running: Promise<void> | undefined
  isStopped: boolean
}

const report = ({ log, network }: State, { address, enode }: Peer, detail: string): void => {
  log.debug('A transaction of {peer} is rejected: {detail}', { peer: enode, detail })
  network()?.reportMisbehaviour(address, 'invalid-transaction', detail)
}

/** Returns the hash of one that may be in the pool once the message is validated. */
const enqueueOne = (
  state: State,
  encoded: Uint8Array,
  { peer, message, source }: Pick<Waiting, 'peer' | 'message' | 'source'>,
): Hash | undefined => {
  if (encoded.length > POOL_TRANSACTION_BYTES_MAX) {
    report(
      state,
      peer,
      `a transaction of ${encoded.length} bytes, where ${POOL_TRANSACTION_BYTES_MAX} are allowed`,
    )
    message.record('worthless')
    return undefined
  }
  const peerKey = toBareHex(peer.address)
  if (state.isStopped || !state.usefulness.admits(peerKey)) {
    message.record('dropped')
    return undefined
  }
  const hash = keccak256(encoded)
  if (state.seen.has(hash)) message.record('known')
  else if (!enqueueFirst(state.queues, peerKey, { peer, encoded, hash, message, source }))
    message.record('dropped')
  return hash
}

/**
 * The next transactions to validate, without duplicates. A hash counts as seen only now: a copy in the queue of a flooding
 * peer must not delay the copy of another peer.
 */
const nextBatch = ({ queues, seen }: State): readonly Waiting[] =>
  dequeueBatch(queues, ({ peer }) => toBareHex(peer.address)).filter(({ hash, message }) => {
    const isNew = seen.add(hash)
    if (!isNew) message.record('known')
    return isNew
  })

const decode = (state: State, { peer, encoded }: Waiting): Transaction | undefined => {
  try {
    return decodeTransaction(encoded)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    report(state, peer, error.message)
    return undefined
  }
}

/** Validates a transaction again whose sender could not pay before. Returns true if it still cannot. */
const retry = async (state: State, unpaid: RecoveredTransaction): Promise<boolean> => {
  const { pool, messageOf, network } = state
  await state.yieldRetry()
  if (state.isStopped || pool.get(unpaid.transaction.hash) !== undefined) return false
  const { rejection } = await admit(state, unpaid)
  const message = messageOf.get(unpaid)
  // Where it was not forwarded then, the peers need it from this node now: devp2p forwards only what the pool has.
  if (
    rejection === undefined &&
    message !== undefined &&
    (message.isOverDevp2p || !(await message.isForwarded))
  )
    network()?.announceTransactions([unpaid.transaction.encoded])
  return rejection === 'INSUFFICIENT_FUNDS'
}

const validate = async (
  state: State,
  { peer, hash, message, source }: Waiting,
  received: RecoveredTransaction,
): Promise<ValidationResult> => {
  const { rejection, isFinal, result, isKnown } = await admit(state, received)
  if (!isKnown) source.unknownSenders++
  if (rejection === 'INSUFFICIENT_FUNDS') {
    state.messageOf.set(received, {
      isForwarded: message.isForwarded,
      isOverDevp2p: peer.capabilities !== undefined,
    })
    state.unpaid.keep(received, toBareHex(peer.address))
  }
  if (!isFinal) state.seen.delete(hash)
  return result
}

const decodeBatch = async (state: State, batch: readonly Waiting[], yieldTurn: YieldTurn) => {
  const decoded: { readonly waiting: Waiting; readonly transaction: Transaction }[] = []
  for (const waiting of batch) {
    const transaction = decode(state, waiting)
    if (transaction !== undefined) decoded.push({ waiting, transaction })
    await yieldTurn()
  }
  return decoded
}

const validateBatch = async (
  state: State,
  batch: readonly Waiting[],
  yieldTurn: YieldTurn,
): Promise<void> => {
  const decoded = await decodeBatch(state, batch, yieldTurn)
  const senders = await state.recoverSenders(decoded.map(({ transaction }) => transaction))
  const results = new Map<Waiting, ValidationResult>()
  for (const [index, { waiting, transaction }] of decoded.entries()) {
    const sender = senders[index]
    // Not reported as misbehaviour: a node that syncs forwards transactions without validation.
    if (sender === undefined) {
      waiting.source.unknownSenders++
      state.log.debug('The signature of transaction {hash} of {peer} is invalid', {
        hash: toHex(waiting.hash),
        peer: waiting.peer.enode,
      })
    } else results.set(waiting, await validate(state, waiting, { transaction, sender }))
    await yieldTurn()
  }
  for (const waiting of batch) {
    const result = results.get(waiting) ?? 'worthless'
    state.usefulness.record(toBareHex(waiting.peer.address), result)
    waiting.message.record(result)
  }
}

const validateAll = async (state: State): Promise<void> => {
  const yieldTurn = state.createYield()
  for (;;) {
    if (state.isStopped || waitingCount(state.queues) === 0) return
    const batch = nextBatch(state)
    try {
      await validateBatch(state, batch, yieldTurn)
    } catch (error) {
      for (const { hash, message } of batch) {
        state.seen.delete(hash)
        message.record('dropped')
      }
      state.log.error('Transactions of peers could not be validated: {error}', { error })
    }
    await yieldTurn()
  }
}

const start = (state: State): void => {
  if (state.running !== undefined || state.isStopped || waitingCount(state.queues) === 0) return
  state.running = validateAll(state).finally(() => {
    state.running = undefined
    start(state)
  })
}

/**
 * Adds transactions of peers to the pool: decodes them, recovers their senders in batches, and validates them by the rules of
 * the pool.
 */
export const createTransactionReceiver = (options: TransactionReceiverOptions): TransactionReceiver => {
  const { chain, pool, nowMs, createYield, log } = options
  const state: State = {
    ...options,
    seen: createRecentHashes(SEEN_MAX),
    queues: createValidationQueues<Waiting>(({ message }) => message.record('dropped')),
    usefulness: createPeerUsefulness(nowMs),
    unpaid: createUnpaidTransactions(
      pool,
      unpaid => retry(state, unpaid),
      error => log.error('Transactions of peers could not be validated: {error}', { error }),
    ),
    messageOf: new WeakMap(),
    yieldRetry: createYield(),
    running: undefined,
    isStopped: false,
  }
  const unsubscribeHead = chain.onHead(() => state.unpaid.onHead())
  const unsubscribeAdded = pool.onAdded(({ transaction }) => void state.seen.add(transaction.hash))
  return {
    receive: async (peer, transactions) => {
      const message = createMessageValidation(transactions.length)
      const source: Source = { unknownSenders: 0 }
      const hashes = transactions.map(encoded => enqueueOne(state, encoded, { peer, message, source }))
      start(state)
      const isForwarded = await message.isForwarded
      const held = hashes.flatMap((hash, index) =>
        hash === undefined || pool.get(hash) === undefined ? [] : [index],
      )
      return { isForwarded, held }
    },
    wants: hash => !state.seen.has(hash) && pool.get(hash) === undefined,
    stop: async () => {
      state.isStopped = true
      unsubscribeAdded()
      unsubscribeHead()
      state.unpaid.stop()
      for (const { message } of clearValidationQueues(state.queues)) message.record('dropped')
      await state.running
    },
  }
}
