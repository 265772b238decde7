import type { PoolHead } from './pool.ts'
import { effectiveTip, upfrontCost } from './candidates.ts'
import { type Overrun, SENDER_WAIT_MS } from './overruns.ts'
import { nonceIndex, type PoolEntry, type SenderQueue } from './senderQueue.ts'

const range = (first: bigint, last: bigint): string =>
  first === last ? `nonce ${first}` : `nonces ${first} to ${last}`

/** In one sentence, what stands between a pooled transaction and the next block. */
export const explainEntry = (queue: SenderQueue, entry: PoolEntry, head: PoolHead): string => {
  const { nonce } = entry.transaction
  const index = nonceIndex(queue, nonce)
  if (index >= queue.ready) {
    const missing = queue.accountNonce + BigInt(queue.ready)
    const next = (queue.entries[queue.ready] as PoolEntry).transaction.nonce
    return `nonce ${nonce} queued: waiting for ${range(missing, next - 1n)}`
  }
  const ahead = queue.entries.slice(0, index + 1).find(other => hindrance(other, head) !== undefined)
  if (ahead === entry) return `nonce ${nonce} waiting: ${hindrance(entry, head)}`
  if (ahead !== undefined)
    return `nonce ${nonce} waiting for nonce ${ahead.transaction.nonce}: ${hindrance(ahead, head)}`
  if (index === 0) return `nonce ${nonce} ready for the next block`
  return `nonce ${nonce} ready, after ${range(queue.accountNonce, nonce - 1n)} of the same sender`
}

/** The same of one that was stopped once. */
export const explainDeferred = ({ reason }: Overrun): string =>
  `waiting: it was stopped while a block was built (${reason}); it is tried once more, after all others, and dropped if it is stopped again`

/** The same of one that was stopped twice. */
export const explainDropped = ({ reason }: Overrun): string =>
  `dropped: it was stopped twice while a block was built (${reason}); its sender had to wait ${SENDER_WAIT_MS / 1000} seconds`

const hindrance = ({ transaction, sender }: PoolEntry, head: PoolHead): string | undefined => {
  const baseFee = head.nextBaseFeePerGas
  if (effectiveTip(transaction, baseFee) < 0n)
    return `its max fee per gas ${transaction.maxFeePerGas} wei is below the next block's base fee ${baseFee} wei`
  if (transaction.gasLimit > head.blockGasLimit)
    return `its gas limit ${transaction.gasLimit} is above the block gas limit ${head.blockGasLimit}`
  const cost = upfrontCost(transaction)
  const balance = head.balance(sender)
  if (cost > balance) return `it can cost ${cost} wei and its sender has ${balance} wei`
  return undefined
}
