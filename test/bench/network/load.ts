import { toHex } from '../../../core/bytes/hex.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { type BenchNode, post } from './nodes.ts'
import { createStallCheck } from './stall.ts'

/** What a client saw of its transactions. */
export type LoadResult = {
  /** Of the transactions given, from the first. */
  readonly sent: number
  readonly included: number
  /** From the first block with transactions to the last, seconds. */
  readonly seconds: number
  /** From sending to seeing the transaction in a block, milliseconds, ascending. */
  readonly latencies: readonly number[]
  readonly blocks: number
  /** From one block with transactions to the next, milliseconds, ascending. */
  readonly gapsMs: readonly number[]
}

/** A node that a client sends to. */
export type LoadNode = Pick<BenchNode, 'url' | 'rpc'>

export type LoadOptions = {
  readonly nodes: readonly LoadNode[]
  readonly transactions: readonly RecoveredTransaction[]
  /** Undefined sends as fast as they are included. */
  readonly perSecond: number | undefined
  readonly seconds: number
  /** Without a block for this long the network is stalled; STALLED_MS when left out. */
  readonly stalledMs?: number
}

const BATCH = 100
/** Waiting in the pools at most, while as much as possible is sent. */
const OUTSTANDING_MAX = 4_000
const POLL_MS = 10
/** What is not included by then will not be; twenty validators on two cores take half a minute for a block of 4,000. */
const DRAIN_MS_MAX = 120_000

type RpcBlock = { readonly number: string; readonly transactions: readonly string[] }

const sendBatch = async (url: string, batch: readonly RecoveredTransaction[]): Promise<void> => {
  const body = JSON.stringify(
    batch.map(({ transaction }, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_sendRawTransaction',
      params: [toHex(transaction.encoded)],
    })),
  )
  const replies = (await post(url, body)) as readonly { readonly error?: { readonly message: string } }[]
  const failed = replies.find(({ error }) => error !== undefined)
  if (failed !== undefined) throw new Error(`a transaction was refused: ${failed.error?.message}`)
}

/** A block with transactions. */
type Seen = { readonly atMs: number; readonly count: number }

/** @throws Error where no block had any of them */
const resultOf = (sent: number, seen: readonly Seen[], latencies: readonly number[]): LoadResult => {
  const [first, last] = [seen[0], seen.at(-1)]
  if (sent > 0 && first === undefined) throw new Error(`none of ${sent} transactions came into a block`)
  return {
    sent,
    // The first block tells when counting begins; what is in it came before.
    included: seen.slice(1).reduce((sum, { count }) => sum + count, 0),
    seconds: first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1000,
    latencies: latencies.toSorted((a, b) => a - b),
    blocks: seen.length,
    gapsMs: seen
      .slice(1)
      .map(({ atMs }, index) => atMs - (seen[index]?.atMs ?? atMs))
      .toSorted((a, b) => a - b),
  }
}

/**
 * One client that sends to all nodes, one batch at a time to each, and watches one of them.
 * @throws NetworkStalled, or the error of a node
 */
export const runLoad = async ({
  nodes,
  transactions,
  perSecond,
  seconds,
  stalledMs,
}: LoadOptions): Promise<LoadResult> => {
  const [watched] = nodes
  if (watched === undefined) throw new Error('no node to send to')
  const sentAtMs = new Map<string, number>()
  const latencies: number[] = []
  const seen: Seen[] = []
  const checkStall = createStallCheck(stalledMs)
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  let sent = 0
  const over = new AbortController()
  let next = Number(await watched.rpc<string>('eth_blockNumber')) + 1

  const watch = async (): Promise<void> => {
    const head = Number(await watched.rpc<string>('eth_blockNumber'))
    checkStall(head)
    for (; next <= head; next++) {
      const block = await watched.rpc<RpcBlock>('eth_getBlockByNumber', `0x${next.toString(16)}`, false)
      const atMs = performance.now()
      for (const hash of block.transactions) {
        const from = sentAtMs.get(hash)
        if (from !== undefined) latencies.push(atMs - from)
      }
      if (block.transactions.length > 0) seen.push({ atMs, count: block.transactions.length })
    }
  }

  const mayHaveSent = (): number =>
    perSecond === undefined
      ? latencies.length + OUTSTANDING_MAX
      : ((performance.now() - startMs) / 1000) * perSecond

  const sendTo = async ({ url }: LoadNode): Promise<void> => {
    while (!over.signal.aborted && performance.now() < endMs && sent < transactions.length) {
      const batch = transactions.slice(sent, sent + Math.min(BATCH, Math.floor(mayHaveSent()) - sent))
      if (batch.length === 0) {
        await Bun.sleep(5)
        continue
      }
      sent += batch.length
      const atMs = performance.now()
      for (const { transaction } of batch) sentAtMs.set(toHex(transaction.hash), atMs)
      await sendBatch(url, batch)
    }
  }

  const isWaiting = (): boolean => latencies.length < sent && performance.now() < endMs + DRAIN_MS_MAX
  const watchAll = async (): Promise<void> => {
    while (!over.signal.aborted && (performance.now() < endMs || isWaiting())) {
      await watch()
      await Bun.sleep(POLL_MS)
    }
  }
  try {
    await Promise.all([watchAll(), ...nodes.map(sendTo)])
  } finally {
    over.abort()
  }
  return resultOf(sent, seen, latencies)
}
