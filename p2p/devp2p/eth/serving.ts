import { errorText } from '../../../core/text/errorText.ts'
import { setTimeout as wait } from 'node:timers/promises'
import type { Hash } from '../../../core/bytes/bytes.ts'
import type { RawItem } from '../../../core/rlp/rawItem.ts'
import { joinHashes } from '../../gossip/joinedHashes.ts'
import { POOL_HASHES_MAX } from '../../gossip/poolLists.ts'
import type { NetworkHandlers } from '../../network.ts'
import type { Log } from '../../log.ts'
import { createTokenBucket, type TokenBucket } from '../../transport/tokenBucket.ts'
import { nameOf } from '../session/session.ts'
import { splitBlock } from './blocks.ts'
import type { EthVersion } from '../base/capabilities.ts'
import { ETH } from '../ethCodes.ts'
import { type EthPeer, sendEth } from './ethPeer.ts'
import { receiptsWithoutBloom } from './receipts.ts'
import { decodeHashes, decodeHeadersQuery, encodeWithId, openWithId } from './requests.ts'
import { MESSAGE_TRANSACTIONS_MAX, transactionItems } from './transactions.ts'

/** An answer ends with the item that exceeds this: votes share the connection with it. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024
/** Items of one answer, as Besu serves them. */
const HEADERS_MAX = 512
const BODIES_MAX = 128
const RECEIPTS_MAX = 256
/** go-ethereum limits an answer only by its bytes, and asks for all that one message may announce. */
const POOLED_MAX = MESSAGE_TRANSACTIONS_MAX
/** Requests of one peer in progress or queued; Besu opens five at a time. Beyond it an answer is empty. */
const WAITING_MAX = 16
/**
 * A node that syncs as fast as it can asks some two hundred times a second: four requests for 256 blocks. Beyond it answers
 * are delayed, and so are the requests that follow them.
 */
const REQUESTS_PER_SECOND = 400
/** Longest delay of one answer: clients wait 5 s for it. */
const DELAY_MS_MAX = 1_000
/**
 * Bytes of answers a second, to all peers together, and at once. The thread that compresses, encrypts and authenticates them sends the
 * votes, too: this takes a third of its time. Where more are asked for, each peer still gets one answer in `DELAY_MS_MAX`. A block of
 * 2,000 transfers has 250 KB.
 */
const BYTES_PER_SECOND = 16 * 1024 * 1024
const BURST_BYTES = 4 * ANSWER_BYTES_MAX
/** Bytes that each item of a request counts for at least, whether it is found or not: the lookup is work on the thread of the chain. */
const ITEM_BYTES_MIN = 1024

type Served = Pick<NetworkHandlers, 'headers' | 'blocksByHash' | 'receiptsByHash' | 'poolTransactions'>

export type ServingOptions = {
  readonly handlers: Served
  readonly log: Log
  readonly nowMs: () => number
  /** Waits this long; the timer of the runtime when left out. */
  readonly pause?: (ms: number) => Promise<unknown>
  readonly onFlooding: (peer: EthPeer) => void
}

type Queue = { readonly requests: TokenBucket; waiting: number; last: Promise<void> }

const bodyOf = (block: Uint8Array): Uint8Array => splitBlock(block).body

async function* mapped(
  items: AsyncIterable<Uint8Array>,
  map: (item: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const item of items) yield map(item)
}

/** The transactions of the own pool with these hashes: `poolTransactions` takes so many at once. */
async function* pooled(
  { poolTransactions }: Served,
  hashes: readonly Hash[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < hashes.length; at += POOL_HASHES_MAX) {
    const part = joinHashes(hashes.slice(at, at + POOL_HASHES_MAX))
    for await (const encoded of poolTransactions(part)) yield transactionItems([encoded])[0] as Uint8Array
  }
}

/** What a request asks for: how many items at most, and what is found. */
type Asked = { readonly count: number; readonly items: AsyncIterable<Uint8Array> | undefined }

/** The items that answer a request. @throws RlpError when the request is malformed */
const itemsOf = (handlers: Served, version: EthVersion, code: number, content: RawItem): Asked => {
  switch (code) {
    case ETH.getBlockHeaders: {
      const query = decodeHeadersQuery(content)
      const count = Math.min(query.count, HEADERS_MAX)
      return { count, items: handlers.headers({ ...query, count }) }
    }
    case ETH.getBlockBodies: {
      const hashes = decodeHashes(content, BODIES_MAX)
      return { count: hashes.length, items: mapped(handlers.blocksByHash(joinHashes(hashes)), bodyOf) }
    }
    case ETH.getReceipts: {
      const hashes = decodeHashes(content, RECEIPTS_MAX)
      const receipts = handlers.receiptsByHash(joinHashes(hashes))
      return {
        count: hashes.length,
        items: version === 69 ? mapped(receipts, receiptsWithoutBloom) : receipts,
      }
    }
    case ETH.getPooledTransactions: {
      const hashes = decodeHashes(content, POOLED_MAX)
      return { count: hashes.length, items: pooled(handlers, hashes) }
    }
    default:
      // Node data, of which there is none.
      return { count: 0, items: undefined }
  }
}

/** Codes of the requests that are answered, and of their answers. */
const ANSWERS: Readonly<Record<number, number>> = {
  [ETH.getBlockHeaders]: ETH.blockHeaders,
  [ETH.getBlockBodies]: ETH.blockBodies,
  [ETH.getPooledTransactions]: ETH.pooledTransactions,
  [ETH.getNodeData]: ETH.nodeData,
  [ETH.getReceipts]: ETH.receipts,
}

const collect = async (
  peer: EthPeer,
  items: AsyncIterable<Uint8Array> | undefined,
): Promise<Uint8Array[]> => {
  const collected: Uint8Array[] = []
  if (items === undefined) return collected
  let bytes = 0
  for await (const item of items) {
    collected.push(item)
    bytes += item.length
    if (bytes >= ANSWER_BYTES_MAX || peer.controller.signal.aborted) break
  }
  return collected
}

/** True for a request that `answer` takes. */
export const isRequest = (code: number): boolean => Object.hasOwn(ANSWERS, code)

export type Serving = {
  /** Answers a request, after those that the peer sent before. @throws RlpError when it is malformed */
  answer(peer: EthPeer, code: number, payload: Uint8Array): void
}

/**
 * Answers the requests of peers, those of one peer in their order. Each is answered, with nothing if need be: a client that
 * gets no answer keeps waiting for it, and disconnects in the end.
 */
export const createServing = (options: ServingOptions): Serving => {
  const { handlers, log, nowMs, pause = wait, onFlooding } = options
  const answerBytes = createTokenBucket(BYTES_PER_SECOND, BURST_BYTES, nowMs)
  const queues = new WeakMap<EthPeer, Queue>()
  const queueOf = (peer: EthPeer): Queue => {
    const known = queues.get(peer)
    if (known !== undefined) return known
    const requests = createTokenBucket(REQUESTS_PER_SECOND, 2 * REQUESTS_PER_SECOND, nowMs)
    const created = { requests, waiting: 0, last: Promise.resolve() }
    queues.set(peer, created)
    return created
  }

  const respond = async (
    peer: EthPeer,
    delayMs: number,
    id: bigint,
    code: number,
    { count, items }: Asked,
  ): Promise<void> => {
    let collected: Uint8Array[] = []
    if (delayMs > 0) await pause(Math.min(delayMs, DELAY_MS_MAX))
    try {
      collected = await collect(peer, items)
      const bytesDelayMs = answerBytes.take(
        Math.max(
          count * ITEM_BYTES_MIN,
          collected.reduce((sum, item) => sum + item.length, 0),
        ),
      )
      if (bytesDelayMs > 0) await pause(Math.min(bytesDelayMs, DELAY_MS_MAX))
    } catch (error) {
      log.warn('A request of {peer} could not be answered: {reason}', {
        peer: nameOf(peer.session),
        reason: errorText(error),
      })
    }
    await peer.session.outbox.hasSpace()
    sendEth(peer, ANSWERS[code] as number, encodeWithId(id, collected))
  }

  return {
    answer: (peer, code, payload) => {
      const { id, content } = openWithId(payload)
      const asked = itemsOf(handlers, peer.version, code, content)
      const queue = queueOf(peer)
      if (queue.waiting >= WAITING_MAX) {
        onFlooding(peer)
        return void sendEth(peer, ANSWERS[code] as number, encodeWithId(id, []))
      }
      queue.waiting++
      const delayMs = queue.requests.take(1)
      queue.last = queue.last
        .then(() => respond(peer, delayMs, id, code, asked))
        .finally(() => {
          queue.waiting--
        })
    },
  }
}
