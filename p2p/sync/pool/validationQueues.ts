import {
  clearQueues,
  createPeerQueues,
  dequeue,
  enqueue,
  type PeerQueues,
  type QueueLimits,
} from './peerQueues.ts'

/** Transactions validated together: some ten milliseconds of work for the threads. */
const BATCH_TRANSACTIONS = 128

/**
 * Of these, transactions of messages of unknown senders: they wait for those of known senders, but not for ever. No batch has more,
 * because the next message of a known sender waits for the end of the batch.
 */
const UNKNOWN_OF_BATCH = 32

/**
 * Transactions of unknown senders in a message after which the rest of it waits behind the messages of known senders. An honest
 * node with many of them sends fewer in one message (announceTransactions.ts).
 */
const UNKNOWN_OF_MESSAGE_MAX = 16

/** Transactions moved to the other queue for one batch: a fraction of a millisecond. */
const MOVED_MAX = 2_048

/** Transactions that wait for validation in each of the two queues: some seconds of work. */
const QUEUE_LIMITS: QueueLimits = { peerItemsMax: 8_192, itemsMax: 16_384, bytesMax: 32 * 1024 * 1024 }

/** The message that a transaction came with; counts its senders without nonce and balance, and its invalid signatures. */
export type Source = { unknownSenders: number }

type Item = { readonly encoded: Uint8Array; readonly source: Source }

/**
 * Two queues, because a sender is known only after its recovery, which is most of the work: all messages start in `first`, and
 * what is left of a message of unknown senders moves to `later`. Invented senders do not delay those that have an account.
 */
export type ValidationQueues<Waiting extends Item> = {
  readonly first: PeerQueues<Waiting>
  readonly later: PeerQueues<Waiting>
  readonly onDropped: (waiting: Waiting) => void
}

export const createValidationQueues = <Waiting extends Item>(
  onDropped: (waiting: Waiting) => void,
): ValidationQueues<Waiting> => {
  const create = () => createPeerQueues<Waiting>(QUEUE_LIMITS, ({ encoded }) => encoded.length, onDropped)
  return { first: create(), later: create(), onDropped }
}

export const waitingCount = <Waiting extends Item>({ first, later }: ValidationQueues<Waiting>): number =>
  first.size + later.size

/** Returns false if the queue of the peer is full: the transaction is not queued. */
export const enqueueFirst = <Waiting extends Item>(
  { first }: ValidationQueues<Waiting>,
  peer: string,
  waiting: Waiting,
): boolean => enqueue(first, peer, waiting)

/** Removes and returns the next transactions to validate. */
export const dequeueBatch = <Waiting extends Item>(
  { first, later, onDropped }: ValidationQueues<Waiting>,
  peerOf: (waiting: Waiting) => string,
): readonly Waiting[] => {
  const batch: Waiting[] = []
  const wanted = BATCH_TRANSACTIONS - UNKNOWN_OF_BATCH
  let moved = 0
  while (batch.length < wanted && first.size > 0 && moved < MOVED_MAX)
    for (const waiting of dequeue(first, wanted - batch.length)) {
      if (waiting.source.unknownSenders < UNKNOWN_OF_MESSAGE_MAX) batch.push(waiting)
      else {
        moved++
        if (!enqueue(later, peerOf(waiting), waiting)) onDropped(waiting)
      }
    }
  return [...batch, ...dequeue(later, UNKNOWN_OF_BATCH)]
}

/** Removes and returns all transactions. */
export const clearValidationQueues = <Waiting extends Item>({
  first,
  later,
}: ValidationQueues<Waiting>): readonly Waiting[] => [...clearQueues(first), ...clearQueues(later)]
