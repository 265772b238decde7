import type { Hash } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { type ChainMemory, headNumberOf, memtablesOf } from '../chainMemory.ts'
import { createReader } from '../codec/reader.ts'
import { locationOf } from '../flushing/memtable.ts'
import { isBlockKept } from '../historyPruned.ts'
import { blockHashKey, transactionKey } from '../keys.ts'
import type { TransactionLocation } from '../store.ts'

/** The number of the block with that hash, or undefined. */
export const numberOfHash = async (memory: ChainMemory, hash: Hash): Promise<bigint | undefined> => {
  const key = blockHashKey(hash)
  for (const { blockNumbers } of memtablesOf(memory)) {
    const number = blockNumbers.get(key)
    if (number !== undefined) return BigInt(number)
  }
  const bytes = await memory.views.fetch(key)
  return bytes === undefined ? undefined : BigInt(createReader(bytes).varint())
}

export const transactionLocation = async (
  memory: ChainMemory,
  hash: Hash,
): Promise<TransactionLocation | undefined> => {
  for (const { transactions } of memtablesOf(memory)) {
    const place = transactions.get(hash)
    if (place === undefined) continue
    const [block, index] = locationOf(place)
    // A block above the head is being committed.
    if (block > headNumberOf(memory)) return undefined
    return { blockNumber: BigInt(block), index }
  }
  const bytes = await memory.views.fetch(transactionKey(toBareHex(hash)))
  if (bytes === undefined) return undefined
  const reader = createReader(bytes)
  const block = reader.varint()
  return isBlockKept(memory, block) ? { blockNumber: BigInt(block), index: reader.varint() } : undefined
}
