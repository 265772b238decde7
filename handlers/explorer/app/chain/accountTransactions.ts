import { call } from '../rpc/client.ts'
import { isNotServed, RpcFailure } from '../rpc/failure.ts'
import type { Hex, RpcBlock, RpcTransaction } from '../rpc/types.ts'
import { quantity } from './blocks.ts'

export type AccountTransactions = {
  /** The latest first. */
  readonly transactions: readonly RpcTransaction[]
  /** First of the last blocks that were read; undefined when an index has all. */
  readonly from: bigint | undefined
  /** Block from which the next page goes on, downwards; undefined at the end. */
  readonly next: bigint | undefined
}

const PAGE_ROWS = 25
/** Blocks that are read where the node has no index. */
const SCANNED_BLOCKS = 100

type OtsPage = {
  readonly txs: readonly RpcTransaction[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

/** From the index of the node. @throws RpcFailure where it has none */
const fromIndex = async (address: Hex, before: bigint): Promise<AccountTransactions> => {
  const { txs, lastPage } = await call<OtsPage>(
    'ots_searchTransactionsBefore',
    address,
    Number(before),
    PAGE_ROWS,
  )
  const last = txs.at(-1)?.blockNumber
  return {
    transactions: txs,
    from: undefined,
    next: lastPage || last === undefined || last === null ? undefined : BigInt(last),
  }
}

const concerns = ({ from, to }: RpcTransaction, address: string): boolean =>
  from.toLowerCase() === address || to?.toLowerCase() === address

/** From the last blocks. */
const fromBlocks = async (address: Hex, last: bigint): Promise<AccountTransactions> => {
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
    from: numbers.at(-1),
    next: undefined,
  }
}

/**
 * The transactions from and to an account: from the index of a node with --explorer-index, otherwise those of the last blocks.
 * @param before only those in earlier blocks; 0 for all
 */
export const transactionsOf = async (
  address: Hex,
  before: bigint,
  last: bigint,
): Promise<AccountTransactions> => {
  try {
    return await fromIndex(address, before)
  } catch (error) {
    if (!(error instanceof RpcFailure) || !isNotServed(error)) throw error
    return await fromBlocks(address, last)
  }
}
