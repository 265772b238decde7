import { call } from '../rpc/client.ts'
import type { Hex, RpcBlock, RpcTransaction } from '../rpc/types.ts'
import { quantity } from './blocks.ts'

export type AccountTransactions = {
  /** The latest first. */
  readonly transactions: readonly RpcTransaction[]
  /** First block that was read. */
  readonly from: bigint
}

/** Blocks that are read: the node has no index of transactions by address. */
const SCANNED_BLOCKS = 100

const concerns = ({ from, to }: RpcTransaction, address: string): boolean =>
  from.toLowerCase() === address || to?.toLowerCase() === address

/** The transactions from and to an account in the blocks up to `last`. */
export const transactionsOf = async (address: Hex, last: bigint): Promise<AccountTransactions> => {
  const numbers: bigint[] = []
  for (let number = last; number >= 0n && numbers.length < SCANNED_BLOCKS; number--) numbers.push(number)
  const blocks = await Promise.all(
    numbers.map(number =>
      call<RpcBlock<RpcTransaction> | null>('eth_getBlockByNumber', quantity(number), true),
    ),
  )
  const wanted = address.toLowerCase()
  return {
    transactions: blocks.flatMap(
      block => block?.transactions.filter(transaction => concerns(transaction, wanted)).toReversed() ?? [],
    ),
    from: numbers.at(-1) ?? 0n,
  }
}
