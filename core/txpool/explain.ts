import { expectedCost, upfrontCost } from './cost.ts'
import type { PoolHead } from './pool.ts'
import { type Overrun, SENDER_WAIT_MS } from './overruns.ts'
import { priceProblem } from './price.ts'
import { nonceIndex, type PoolEntry, type SenderQueue } from './senderQueue.ts'

const range = (first: bigint, last: bigint): string =>
  first === last ? `nonce ${first}` : `nonces ${first} to ${last}`

/** The reason why the next block cannot include the entry; `available` is the wei that its sender has left for it. */
const problemOf = ({ transaction }: PoolEntry, head: PoolHead, available: bigint): string | undefined => {
  const price = priceProblem(transaction, head)
  if (price !== undefined) return price
  if (transaction.gasLimit > head.blockGasLimit)
    return `its gas limit ${transaction.gasLimit} is above the block gas limit ${head.blockGasLimit}`
  const cost = upfrontCost(transaction)
  if (cost > available) return `it can cost ${cost} wei and its sender has ${available} wei`
  return undefined
}

export type Explanation = {
  /** True if the next block can include it and the transactions before it. */
  readonly ready: boolean
  readonly text: string
}

/**
 * Explains in one sentence whether the next block can include a pooled transaction.
 * @param incoming wei that executable transactions of others pay the sender
 */
export const explainEntry = (
  queue: SenderQueue,
  entry: PoolEntry,
  head: PoolHead,
  incoming: bigint,
): Explanation => {
  const { nonce } = entry.transaction
  const index = nonceIndex(queue, nonce)
  if (index >= queue.ready) {
    const missing = queue.accountNonce + BigInt(queue.ready)
    const next = (queue.entries[queue.ready] as PoolEntry).transaction.nonce
    return { ready: false, text: `nonce ${nonce} queued: waiting for ${range(missing, next - 1n)}` }
  }
  let available = head.account(queue.sender).balance + incoming
  for (const ahead of queue.entries.slice(0, index + 1)) {
    const reason = problemOf(ahead, head, available)
    if (reason !== undefined)
      return {
        ready: false,
        text:
          ahead === entry
            ? `nonce ${nonce} waiting: ${reason}`
            : `nonce ${nonce} waiting for nonce ${ahead.transaction.nonce}: ${reason}`,
      }
    available -= expectedCost(ahead.transaction, head.nextBaseFeePerGas)
  }
  const text =
    index === 0
      ? `nonce ${nonce} ready for the next block`
      : `nonce ${nonce} ready, after ${range(queue.accountNonce, nonce - 1n)} of the same sender`
  return { ready: true, text }
}

/** As `explainEntry`, for a transaction that was stopped once. */
export const explainDeferred = ({ reason }: Overrun): Explanation => ({
  ready: false,
  text: `waiting: it was stopped while a block was built (${reason}); it is tried once more, after all others, and dropped if it is stopped again`,
})

/** As `explainEntry`, for a transaction that was stopped twice. */
export const explainDropped = ({ reason }: Overrun): Explanation => ({
  ready: false,
  text: `dropped: it was stopped twice while a block was built (${reason}); transactions of its sender are refused for ${SENDER_WAIT_MS / 1000} seconds after it`,
})
