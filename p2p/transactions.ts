import { TopicValidatorResult } from '@libp2p/gossipsub'
import type { PeerId } from '@libp2p/interface'
import { decodeRlp, encodeRlp, rlpBytes, rlpList } from '../core/rlp/rlp.ts'
import { NetworkError, textOf } from './error.ts'
import { GOSSIP_BYTES_MAX } from './gossip.ts'
import type { Host } from './host.ts'
import type { NetworkLog } from './network.ts'

/** Each of the many sent one by one shares a message with those of the same moment. */
const GATHER_MS = 10
/** The smallest transaction has about 100 bytes: more cannot be in a message. */
const TRANSACTIONS_MAX = GOSSIP_BYTES_MAX / 64
/**
 * Random bytes before each batch: gossip drops a message that it has seen, and what is told again is for those who have
 * connected since.
 */
const SALT_BYTES = 8
/** RLP needs up to 4 bytes before each transaction. */
const OVERHEAD_BYTES = 4
/** What a message has beside its transactions: the salt, and RLP before it, before the list of them and before all. */
const ENVELOPE_BYTES = SALT_BYTES + 1 + 2 * OVERHEAD_BYTES

export type TransactionGossip = {
  /** Once the host runs. */
  start(): void
  announce(transactions: readonly Uint8Array[]): void
  stop(): void
}

export type GossipHandlers = {
  /** False when the sender does not become a peer: then the message is not passed on. */
  readonly onTransactions: (from: PeerId, transactions: readonly Uint8Array[]) => boolean | Promise<boolean>
  readonly onInvalid: (from: PeerId, detail: string) => void
}

/** Batches of transactions over gossipsub: what one node says reaches all, over others where need be. */
export const createTransactionGossip = (
  host: Host,
  topic: string,
  log: NetworkLog,
  handlers: GossipHandlers,
): TransactionGossip => {
  const { pubsub } = host.services
  let batch: Uint8Array[] = []
  let batchBytes = ENVELOPE_BYTES
  let timer: ReturnType<typeof setTimeout> | undefined

  pubsub.topicValidators.set(topic, async (from, message) => {
    try {
      return (await handlers.onTransactions(from, decodeBatch(message.data)))
        ? TopicValidatorResult.Accept
        : TopicValidatorResult.Ignore
    } catch (cause) {
      handlers.onInvalid(from, textOf(cause))
      return TopicValidatorResult.Reject
    }
  })

  const publish = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (batch.length === 0) return
    const message = encodeRlp([crypto.getRandomValues(new Uint8Array(SALT_BYTES)), batch])
    batch = []
    batchBytes = ENVELOPE_BYTES
    pubsub
      .publish(topic, message)
      .catch(error => log.debug('Transactions were not gossiped: {reason}', { reason: textOf(error) }))
  }

  return {
    start: () => pubsub.subscribe(topic),
    announce: transactions => {
      for (const transaction of transactions) {
        const bytes = transaction.length + OVERHEAD_BYTES
        if (bytes + ENVELOPE_BYTES > GOSSIP_BYTES_MAX) {
          log.warn('A transaction of {bytes} bytes is too large to be told to others', {
            bytes: transaction.length,
          })
          continue
        }
        if (batchBytes + bytes > GOSSIP_BYTES_MAX || batch.length >= TRANSACTIONS_MAX) publish()
        batch.push(transaction)
        batchBytes += bytes
      }
      if (batch.length > 0) timer ??= setTimeout(publish, GATHER_MS)
    },
    stop: () => {
      clearTimeout(timer)
      pubsub.topicValidators.delete(topic)
    },
  }
}

const decodeBatch = (data: Uint8Array): readonly Uint8Array[] => {
  if (data.length > GOSSIP_BYTES_MAX) throw new NetworkError('OVERSIZED', `a batch of ${data.length} bytes`)
  const [salt, batch] = rlpList(decodeRlp(data), 'a batch')
  rlpBytes(salt, 'the salt of a batch', SALT_BYTES)
  const items = rlpList(batch, 'the transactions of a batch')
  if (items.length === 0 || items.length > TRANSACTIONS_MAX)
    throw new NetworkError('BAD_MESSAGE', `a batch of ${items.length} transactions`)
  // The pool keeps them: each must not keep the whole batch alive.
  return items.map(item => rlpBytes(item, 'a transaction').slice())
}
