import { errorText } from '../../core/text/errorText.ts'
import { TopicValidatorResult } from '@libp2p/gossipsub'
import type { PeerId } from '@libp2p/interface'
import { GOSSIP_BYTES_MAX } from './gossip.ts'
import { createGossipRates } from './gossipRates.ts'
import type { Host } from '../transport/host.ts'
import type { NetworkOptions } from '../network.ts'
import type { Log } from '../log.ts'
import {
  bytesInBatch,
  checkEncodings,
  ENVELOPE_BYTES,
  encodeBatch,
  readBatch,
  BATCH_TRANSACTIONS_MAX,
} from './transactionBatch.ts'

/** Transactions announced within this time share a message. */
const BATCH_MS = 10

/** Time for the peers to read the last message before this node disconnects. */
const LINGER_MS = 100

/** Minimum interval between two messages under load: the cost of a message for every node hardly depends on its size. */
const MESSAGE_INTERVAL_MS = 50

export type TransactionGossip = {
  /** To be called once the host runs. */
  start(): void
  announce(transactions: readonly Uint8Array[]): void
  /** Sends the last transactions. Resolves after some time for them to arrive. */
  stop(): Promise<void>
}

export type GossipHandlers = {
  /** Returns whether the message is to be forwarded: never if the sender does not become a peer. */
  readonly onTransactions: (from: PeerId, transactions: readonly Uint8Array[]) => boolean | Promise<boolean>
  readonly onInvalid: (from: PeerId, detail: string) => void
  /** Called with the libp2p id of a peer that sends more than any honest one. */
  readonly onFlooding: (from: string) => void
}

/** Gossips batches of transactions over gossipsub, which reaches all nodes directly or through others. */
export const createTransactionGossip = (
  host: Host,
  topic: string,
  log: Log,
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
      if (!rates.admits(from.toString(), transactions.length, message.data.length))
        return TopicValidatorResult.Ignore
      // On a busy processor many messages arrive at once, and each is forwarded as soon as it is checked. The rates limit how
      // many wait here.
      await pause()
      await checkEncodings(transactions, pause)
      return (await handlers.onTransactions(from, transactions))
        ? TopicValidatorResult.Accept
        : TopicValidatorResult.Ignore
    } catch (cause) {
      handlers.onInvalid(from, errorText(cause))
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
      log.debug('Transactions were not gossiped: {reason}', { reason: errorText(error) })
    }
  }

  return {
    start: () => pubsub.subscribe(topic),
    announce: transactions => {
      for (const transaction of transactions) {
        const bytes = bytesInBatch(transaction)
        if (bytes + ENVELOPE_BYTES > GOSSIP_BYTES_MAX) {
          log.warn('A transaction of {bytes} bytes is too large for gossip', {
            bytes: transaction.length,
          })
          continue
        }
        if (batchBytes + bytes > GOSSIP_BYTES_MAX || batch.length >= BATCH_TRANSACTIONS_MAX) void publish()
        batch.push(transaction)
        batchBytes += bytes
      }
      if (batch.length === 0) return
      // A clock that was set back must not prolong the wait.
      const sinceMs = Math.max(0, nowMs() - publishedMs)
      timer ??= setTimeout(() => void publish(), Math.max(BATCH_MS, MESSAGE_INTERVAL_MS - sinceMs))
    },
    stop: async () => {
      // No other node has the transactions that were accepted a moment ago.
      if (batch.length > 0) {
        await publish()
        await new Promise(resolve => setTimeout(resolve, LINGER_MS))
      }
      pubsub.topicValidators.delete(topic)
    },
  }
}
