import { toQuantity } from '../../../core/bytes/hex.ts'
import type { GraphQLResolveInfo } from 'graphql'
import type { Log } from '../../../core/block/receipt.ts'
import { recordOf } from '../../rpc/blocks/blockWithReceipts.ts'
import { RpcError } from '../../rpc/errors.ts'
import { readLogFilter } from '../../rpc/logs/filter.ts'
import { searchLogs } from '../../rpc/logs/search.ts'
import type { RequestScope } from '../context.ts'
import { withWholeBlocks } from '../requestStore.ts'
import type { Resolvers } from './resolver.ts'
import { selectionOf } from './selection.ts'
import { type AccountSource, minedTransaction } from './sources.ts'

/** A log and its position. */
export type LogSource = {
  readonly log: Log
  readonly number: bigint
  readonly transactionIndex: number
  /** Within the block. */
  readonly logIndex: number
}

/** The schema's filters. */
export type LogCriteria = {
  readonly addresses?: readonly string[] | null
  readonly topics?: readonly (readonly string[])[] | null
}

const wantsTransaction = selectionOf(field => field === 'transaction')

/** The matching logs of blocks `from` to `to`, both included; both exist. @throws RpcError */
export const findLogs = (
  { rpc, expired }: RequestScope,
  { addresses: address, topics }: LogCriteria,
  from: bigint,
  to: bigint,
  info: GraphQLResolveInfo,
): Promise<readonly LogSource[]> => {
  const { chain, options } = rpc
  const filter = readLogFilter({ fromBlock: toQuantity(from), toBlock: toQuantity(to), address, topics })
  const context = wantsTransaction(info)
    ? { ...rpc, chain: { ...chain, store: withWholeBlocks(chain.store) } }
    : rpc
  return searchLogs(
    context,
    filter,
    options.logsRangeMax,
    expired,
    (log, { number }, transactionIndex, logIndex): LogSource => ({ log, number, transactionIndex, logIndex }),
  )
}

export const LOG_RESOLVERS: Resolvers<LogSource> = {
  index: ({ logIndex }) => logIndex,
  account: ({ log, number }, { block }: { readonly block?: bigint | null }): AccountSource => ({
    address: log.address,
    number: block ?? number,
  }),
  topics: ({ log }) => log.topics,
  data: ({ log }) => log.data,
  transaction: async ({ number, transactionIndex }, _, { rpc }) => {
    const record = await recordOf(rpc, { kind: 'number', number })
    if (record === undefined) throw new RpcError('BLOCK_NOT_FOUND')
    return minedTransaction(record, transactionIndex)
  },
}
