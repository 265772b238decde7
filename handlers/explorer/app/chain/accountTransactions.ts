import { call } from '../rpc/client.ts'
import { isRefused } from '../rpc/failure.ts'
import type { Hex, RpcBlock, RpcTransaction } from '../rpc/types.ts'
import { quantity } from './blocks.ts'

export type AccountTransactions = {
  /** The latest first. */
  readonly transactions: readonly RpcTransaction[]
  /** First block that was read; undefined if an index was searched. */
  readonly from: bigint | undefined
  /** Block below which the next page begins; undefined on the last page. */
  readonly next: bigint | undefined
}

const PAGE_ROWS = 50
/** Blocks that are read from a node without an index. */
const SCANNED_BLOCKS = 100

type Found = { readonly txs: readonly RpcTransaction[]; readonly lastPage: boolean }

const fromIndex = async (address: Hex, below: bigint | undefined): Promise<AccountTransactions> => {
  const { txs, lastPage } = await call<Found>(
    'ots_searchTransactionsBefore',
    address,
    Number(below ?? 0n),
    PAGE_ROWS,
  )
  const last = txs.at(-1)?.blockNumber ?? undefined
  return {
    transactions: txs,
    from: undefined,
    next: lastPage || last === undefined ? undefined : BigInt(last),
  }
}

const involves = ({ from, to }: RpcTransaction, address: string): boolean =>
  from.toLowerCase() === address || to?.toLowerCase() === address

const fromBlocks = async (address: Hex, last: bigint): Promise<AccountTransactions> => {
  const numbers: bigint[] = []
  for (let number = last; number >= 0n && numbers.length < SCANNED_BLOCKS; number--) numbers.push(number)
  const blocks = await Promise.all(
    numbers.map(number =>
      call<RpcBlock<RpcTransaction> | null>('eth_getBlockByNumber', quantity(number), true),
    ),
  )
  const wanted = address.toLowerCase()
  const from = numbers.at(-1) ?? 0n
  return {
    transactions: blocks.flatMap(
      block => block?.transactions.filter(transaction => involves(transaction, wanted)).toReversed() ?? [],
    ),
    from,
    next: from === 0n ? undefined : from,
  }
}

/**
 * The transactions from and to an account, the latest first: from the index of a node with `--explorer-index`, otherwise those
 * of a hundred blocks.
 * @param below only those in earlier blocks
 */
export const transactionsOf = async (
  address: Hex,
  below: bigint | undefined,
  head: bigint,
): Promise<AccountTransactions> => {
  try {
    return await fromIndex(address, below)
  } catch (error) {
    if (!isRefused(error)) throw error
    return await fromBlocks(address, below === undefined ? head : below - 1n)
  }
}
