import { setTimeout as wait } from 'node:timers/promises'
import { Wallet } from 'ethers'
import { CHAIN_ID, SENDER_KEY } from './genesis.ts'
import { until as untilHolds } from '../support/until.ts'
import { type RunningMember } from './member.ts'
import { blockAt, call, headOf, type RpcBlock } from './rpc.ts'

const POLL_MS = 500
/** A node whose chain has not grown for so long has stopped. */
const STALL_MS_MAX = 180_000

/** Resolves when the condition holds. @throws Error with what was waited for, after STALL_MS_MAX without it */
export const until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
  await untilHolds(condition, { what, timeoutMs: STALL_MS_MAX, pollMs: POLL_MS })
}

/** Waits until all nodes have the block. @throws Error when a chain stops growing */
export const untilAllReach = async (nodes: readonly RunningMember[], number: number): Promise<void> => {
  let last = ''
  let changedMs = Date.now()
  for (;;) {
    const heads = await Promise.all(nodes.map(({ url }) => headOf(url)))
    if (heads.every(head => head >= number)) return
    if (heads.join() !== last) changedMs = Date.now()
    last = heads.join()
    if (Date.now() - changedMs > STALL_MS_MAX)
      throw new Error(`no block for ${STALL_MS_MAX / 1000} s; heads ${heads.join(', ')}, wanted ${number}`)
    await wait(POLL_MS)
  }
}

/** Sends transfers in turn to all nodes, and keeps their hashes. */
export const createSender = () => {
  const wallet = new Wallet(SENDER_KEY)
  const hashes: string[] = []
  let nonce = 0
  return {
    hashes,
    /** Sends the next transfer to a node, or to the one after it while that does not answer. */
    send: async (nodes: readonly RunningMember[]): Promise<void> => {
      const signed = await wallet.signTransaction({
        type: 0,
        chainId: CHAIN_ID,
        nonce,
        gasLimit: 21_000,
        gasPrice: 0,
        to: `0x${'11'.repeat(20)}`,
        value: 1,
      })
      for (let index = 0; index < nodes.length; index++) {
        const node = nodes[(nonce + index) % nodes.length] as RunningMember
        try {
          hashes.push((await call(node.url, 'eth_sendRawTransaction', [signed])) as string)
          nonce++
          return
        } catch (error) {
          if (index === nodes.length - 1) throw error
        }
      }
    },
  }
}

export type Sender = ReturnType<typeof createSender>

/** Waits until every transaction is in a block, as the node sees it. */
export const untilMined = (node: RunningMember, { hashes }: Sender): Promise<void> =>
  until(`${hashes.length} transactions in blocks`, async () => {
    for (const hash of hashes)
      if ((await call(node.url, 'eth_getTransactionReceipt', [hash])) === null) return false
    return true
  })

export type Report = {
  readonly blocks: number
  /** Blocks by the address that made them. */
  readonly makers: Readonly<Record<string, number>>
  /** Seconds between the timestamps of two blocks, which are whole. */
  readonly period: { readonly mean: number; readonly median: number; readonly p95: number }
  readonly transactions: number
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** How the gaps between these timestamps, in seconds, are distributed. */
export const periodOf = (timestamps: readonly number[]): Report['period'] => {
  const gaps = timestamps.slice(1).map((timestamp, index) => timestamp - (timestamps[index] as number))
  const sorted = gaps.toSorted((a, b) => a - b)
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / Math.max(1, gaps.length)
  return { mean: Number(mean.toFixed(3)), median: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) }
}

/** Compares the chains block by block. @throws Error when two differ */
export const compareChains = async (nodes: readonly RunningMember[], to: number): Promise<Report> => {
  const makers: Record<string, number> = {}
  let transactions = 0
  const timestamps: number[] = []
  for (let number = 1; number <= to; number++) {
    const blocks = await Promise.all(nodes.map(({ url }) => blockAt(url, number)))
    const hashes = new Set(blocks.map(block => block?.hash))
    if (hashes.size !== 1 || hashes.has(undefined))
      throw new Error(`block ${number} differs: ${blocks.map(block => block?.hash).join(', ')}`)
    const block = blocks[0] as RpcBlock
    makers[block.miner] = (makers[block.miner] ?? 0) + 1
    transactions += block.transactions.length
    timestamps.push(Number(block.timestamp))
  }
  return { blocks: to, makers, period: periodOf(timestamps), transactions }
}
