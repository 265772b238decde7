import type { Block } from '../../../core/block/block.ts'
import { makeTransaction } from '../chain/making.ts'
import type { Transaction } from '../../../core/block/transaction.ts'

/** Transactions that wait at one node, by number. */
export type Pool = {
  size(): number
  add(number: bigint): void
  /** For a block. */
  take(): readonly Transaction[]
  included(block: Block): void
  clear(): void
}

const TAKEN_MAX = 3

/** `waiting` is called when there comes one into a pool that had none. */
export const createPool = (waiting: () => void): Pool => {
  const numbers = new Set<bigint>()
  return {
    size: () => numbers.size,
    add: number => {
      numbers.add(number)
      if (numbers.size === 1) waiting()
    },
    take: () => [...numbers].slice(0, TAKEN_MAX).map(makeTransaction),
    included: ({ transactions }) => {
      for (const { nonce } of transactions) numbers.delete(nonce)
    },
    clear: () => numbers.clear(),
  }
}
