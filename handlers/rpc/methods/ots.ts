import { toHex } from '../../../core/bytes/hex.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import type { Transaction } from '../../../core/block/transaction.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { AccountIndex } from '../ots/accountIndex.ts'
import { PAGE_TRANSACTIONS_MAX, type Search, searchAfter, searchBefore } from '../ots/search.ts'
import { blockNumberOf, requireNumberSelector } from '../parameters/block.ts'
import { given, integerOf, requireAddress } from '../parameters/values.ts'
import { type Method, method, type Params } from '../method.ts'

/** Version of Otterscan's methods. */
const API_LEVEL = 8

/** @throws RpcError without `--explorer-index` */
const indexOf = ({ accountIndex }: RpcContext): AccountIndex => {
  if (accountIndex === undefined) throw new RpcError('METHOD_NOT_ENABLED')
  return accountIndex
}

/** @throws RpcError */
const searchOf = async (params: Params, context: RpcContext): Promise<Search> => {
  const address = requireAddress(params, 0)
  const selector = requireNumberSelector(params, 1, 'INVALID_BLOCK_NUMBER')
  const head = context.chain.head().header.number
  const block =
    selector.kind === 'number' ? selector.number : ((await blockNumberOf(context, selector)) ?? 0n)
  const size = integerOf(given(params, 2), 32)
  if (size === undefined || size === 0n)
    throw new RpcError('INVALID_PARAMS', { data: 'the page size must be 1 or more' })
  return {
    index: indexOf(context),
    address,
    block: block > head + 1n ? head + 1n : block,
    size: Math.min(Number(size), PAGE_TRANSACTIONS_MAX),
  }
}

/** Otterscan's methods that need the index of transactions by account. */
export const OTS_METHODS: readonly Method[] = [
  method({
    name: 'ots_getApiLevel',
    summary: 'Returns the version of the ots methods',
    params: {},
    result: 'Number',
    handle: (_, context) => {
      indexOf(context)
      return API_LEVEL
    },
  }),
  method({
    name: 'ots_searchTransactionsBefore',
    summary: 'Returns transactions of an account in blocks below a block, the latest first',
    params: { address: 'Address', blockNumber: 'BlockNumberOrTag', pageSize: 'ResultCount' },
    result: 'Object',
    handle: async (call, context) => searchBefore(call, context, await searchOf(call.params, context)),
  }),
  method({
    name: 'ots_searchTransactionsAfter',
    summary: 'Returns transactions of an account in blocks above a block, the latest first',
    params: { address: 'Address', blockNumber: 'BlockNumberOrTag', pageSize: 'ResultCount' },
    result: 'Object',
    handle: async (call, context) => searchAfter(call, context, await searchOf(call.params, context)),
  }),
  method({
    name: 'ots_getContractCreator',
    summary: 'Returns the transaction that created a contract, and its sender',
    params: { address: 'Address' },
    result: 'Object',
    handle: async ({ params }, context) => {
      const address = requireAddress(params, 0)
      const place = indexOf(context).creator(address)
      const record = place === undefined ? undefined : await context.chain.store.record(place.block)
      if (place === undefined || record === undefined) return null
      return {
        hash: toHex((record.block.transactions[place.index] as Transaction).hash),
        creator: toHex(record.senders[place.index] as Address),
      }
    },
  }),
]
