import type { Address } from '../../../core/bytes/bytes.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { RpcContext } from '../context.ts'
import type { Call } from '../method.ts'
import { receiptShape } from '../shapes/receipt.ts'
import { minedTransactionShape } from '../shapes/transaction.ts'
import type { AccountIndex, TransactionPlace } from './accountIndex.ts'

/** Largest page of a search: each transaction is read with its block. */
export const PAGE_TRANSACTIONS_MAX = 200

/** Beyond every block. */
const NO_BLOCK = 2n ** 32n

type Page = { readonly places: readonly TransactionPlace[]; readonly isLast: boolean }

/** A page of at most `size` transactions in a direction; one more tells whether it is the last. */
const pageOf = (found: readonly TransactionPlace[], size: number): Page => ({
  places: found.slice(0, size),
  isLast: found.length <= size,
})

/**
 * Completes the last block of a page: the next page begins at another block, so no transaction is left out.
 * @param same the transactions of the account in that block, in the direction of the page
 */
const withWholeBlock = (
  { places, isLast }: Page,
  same: readonly TransactionPlace[],
): readonly TransactionPlace[] => {
  const last = places.at(-1)
  if (isLast || last === undefined) return places
  return [...places.filter(({ block }) => block !== last.block), ...same]
}

/** Otterscan's page: transactions and receipts, the latest first. */
type SearchResult = {
  readonly txs: readonly unknown[]
  readonly receipts: readonly unknown[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

const shapesOf = async (
  { expired }: Call,
  context: RpcContext,
  places: readonly TransactionPlace[],
): Promise<Pick<SearchResult, 'txs' | 'receipts'>> => {
  const txs: unknown[] = []
  const receipts: unknown[] = []
  const yieldTurn = context.scheduler.createYield()
  const { store } = context.chain
  const start = store.historyStart?.() ?? 0n
  let record: BlockRecord | undefined
  for (const { block, index } of places) {
    if (expired()) break
    // The index keeps the transactions of blocks that were removed.
    if (block < start) continue
    if (record?.block.header.number !== block) record = await store.record(block)
    if (record === undefined) continue
    txs.push(minedTransactionShape(record, index))
    receipts.push({
      ...receiptShape(record, index, context.options),
      timestamp: Number(record.block.header.timestamp),
    })
    await yieldTurn()
  }
  return { txs, receipts }
}

export type Search = {
  readonly index: AccountIndex
  readonly address: Address
  /** Not part of the result; 0 for the end of the chain at which the search begins. */
  readonly block: bigint
  readonly size: number
}

/** Transactions in blocks below `block`, the latest first. */
export const searchBefore = async (
  call: Call,
  context: RpcContext,
  search: Search,
): Promise<SearchResult> => {
  const { index, address, block, size } = search
  const page = pageOf(index.before(address, block === 0n ? NO_BLOCK : block, size + 1), size)
  const last = page.places.at(-1)
  const places = withWholeBlock(page, last === undefined ? [] : index.inBlock(address, last.block))
  const end = places.at(-1)
  return {
    ...(await shapesOf(call, context, places)),
    firstPage: block === 0n || index.after(address, block - 1n, 1).length === 0,
    lastPage: page.isLast || end === undefined || index.before(address, end.block, 1).length === 0,
  }
}

/** Transactions in blocks above `block`, the latest first. */
export const searchAfter = async (call: Call, context: RpcContext, search: Search): Promise<SearchResult> => {
  const { index, address, block, size } = search
  const page = pageOf(index.after(address, block === 0n ? -1n : block, size + 1), size)
  const last = page.places.at(-1)
  const rest = last === undefined ? [] : index.inBlock(address, last.block).toReversed()
  const places = withWholeBlock(page, rest)
  const end = places.at(-1)
  return {
    ...(await shapesOf(call, context, places.toReversed())),
    firstPage: page.isLast || end === undefined || index.after(address, end.block, 1).length === 0,
    lastPage: block === 0n || index.before(address, block + 1n, 1).length === 0,
  }
}
