import { TopicValidatorResult } from '@libp2p/gossipsub'
import type { PeerId } from '@libp2p/interface'
import { textOf } from './error.ts'
import { GOSSIP_BYTES_MAX } from './gossip.ts'
import { createGossipRates } from './gossipRates.ts'
import type { Host } from './host.ts'
import type { NetworkLog, NetworkOptions } from './network.ts'
import {
  bytesInBatch,
  checkForms,
  ENVELOPE_BYTES,
  encodeBatch,
  readBatch,
  TRANSACTIONS_MAX,
} from './transactionBatch.ts'

/** Each of the many sent one by one shares a message with those of the same moment. */
const GATHER_MS = 10

/** Time for the last message to be read by the peers before they hear that this node stops. */
const LINGER_MS = 100

/** From one message to the next while there is always more to say: each costs every node of the network the same, whatever is in it. */
const PACE_MS = 50

export type TransactionGossip = {
  /** Once the host runs. */
  start(): void
  announce(transactions: readonly Uint8Array[]): void
  /** Resolves when what was announced last has had time to arrive. */
  stop(): Promise<void>
}

export type GossipHandlers = {
  /** False when the sender does not become a peer: then the message is not passed on. */
  readonly onTransactions: (from: PeerId, transactions: readonly Uint8Array[]) => boolean | Promise<boolean>
  readonly onInvalid: (from: PeerId, detail: string) => void
  /** A peer, by the text of its id, sends more than any honest one. */
  readonly onFlooding: (from: string) => void
}

/** Batches of transactions over gossipsub: what one node says reaches all, over others where need be. */
export const createTransactionGossip = (
  host: Host,
  topic: string,
  log: NetworkLog,
  { nowMs, pause }: Pick<NetworkOptions, 'nowMs' | 'pause'>,
  handlers: GossipHandlers,
): TransactionGossip => {
  const { pubsub } = host.services
  const rates = createGossipRates(nowMs, handlers.onFlooding)
  let batch: Uint8Array[] = []
  let batchBytes = ENVELOPE_BYTES
  let timer: ReturnType<typeof setTimeout> | undefined
  let publishedMs = Number.NEGATIVE_INFINITY

  pubsub.topicValidators.set(topic, async (from, message) => {
    try {
      const transactions = readBatch(message.data)
      if (!rates.takes(from.toString(), transactions.length, message.data.length))
        return TopicValidatorResult.Ignore
      // Many messages come at once where the processor is busy, and each is passed on as soon as it was looked at. What waits
      // here is bounded by the rates above: a burst of theirs.
      await pause()
      await checkForms(transactions, pause)
      return (await handlers.onTransactions(from, transactions))
        ? TopicValidatorResult.Accept
        : TopicValidatorResult.Ignore
    } catch (cause) {
      handlers.onInvalid(from, textOf(cause))
      return TopicValidatorResult.Reject
    }
  })

  const publish = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (batch.length === 0) return
    const message = encodeBatch(batch)
    batch = []
    batchBytes = ENVELOPE_BYTES
    publishedMs = nowMs()
    try {
      await pubsub.publish(topic, message)
    } catch (error) {
      log.debug('Transactions were not gossiped: {reason}', { reason: textOf(error) })
    }
  }

  return {
    start: () => pubsub.subscribe(topic),
    announce: transactions => {
      for (const transaction of transactions) {
        const bytes = bytesInBatch(transaction)
        if (bytes + ENVELOPE_BYTES > GOSSIP_BYTES_MAX) {
          log.warn('A transaction of {bytes} bytes is too large to be told to others', {
            bytes: transaction.length,
          })
          continue
        }
        if (batchBytes + bytes > GOSSIP_BYTES_MAX || batch.length >= TRANSACTIONS_MAX) void publish()
        batch.push(transaction)
        batchBytes += bytes
      }
      if (batch.length === 0) return
      // A clock that was set back makes nobody wait for longer.
      const sinceMs = Math.max(0, nowMs() - publishedMs)
      timer ??= setTimeout(() => void publish(), Math.max(GATHER_MS, PACE_MS - sinceMs))
    },
    stop: async () => {
      // Accepted a moment ago: nobody else has these.
      if (batch.length > 0) {
        await publish()
        await new Promise(resolve => setTimeout(resolve, LINGER_MS))
      }
      pubsub.topicValidators.delete(topic)
    },
  }
}
