import { call } from '../rpc/client.ts'
import { isRefused } from '../rpc/failure.ts'
import type { Hex, RpcBlock, RpcTransaction } from '../rpc/types.ts'
import { blocksUpTo } from './blocks.ts'

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

/** Transactions after which no further block is read: a full block alone takes a megabyte. */
const SCANNED_TRANSACTIONS = 2_000
/** Blocks of one step. */
const STEP_BLOCKS = 20

/** Blocks whose transactions of the shown account are kept: with each new block the others are not read again. */
const KEPT_MAX = 500
const kept = new Map<string, readonly RpcTransaction[]>()

/** The transactions of an account in a block, the latest first. */
const ofBlock = async (block: RpcBlock, address: string): Promise<readonly RpcTransaction[]> => {
  if (block.transactions.length === 0) return []
  const key = `${address} ${block.hash}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const whole = await call<RpcBlock<RpcTransaction> | null>('eth_getBlockByNumber', block.number, true)
  const found = (whole?.transactions ?? []).filter(one => involves(one, address)).toReversed()
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value as string)
  kept.set(key, found)
  return found
}

const fromBlocks = async (address: Hex, last: bigint): Promise<AccountTransactions> => {
  const wanted = address.toLowerCase()
  let found: readonly RpcTransaction[] = []
  let scanned = 0
  let from = last + 1n
  while (from > 0n && last - from + 1n < SCANNED_BLOCKS && scanned < SCANNED_TRANSACTIONS) {
    const blocks = await blocksUpTo(from - 1n, STEP_BLOCKS)
    for (const { transactions } of blocks) scanned += transactions.length
    found = [...found, ...(await Promise.all(blocks.map(block => ofBlock(block, wanted)))).flat()]
    from = from > STEP_BLOCKS ? from - BigInt(STEP_BLOCKS) : 0n
  }
  return { transactions: found, from, next: from === 0n ? undefined : from }
}

/**
 * The transactions from and to an account, the latest first: from the index of a node with `--explorer-index`, otherwise those
 * of the last hundred blocks, or fewer where they are full.
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
