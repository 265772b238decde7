import { fromHex } from '../../../core/bytes/hex.ts'
import { LATEST } from '../../rpc/parameters/block.ts'
import { type CallData, call, estimateGas } from './calls.ts'
import { pooledSource } from './query.ts'
import type { Resolvers } from './resolver.ts'
import type { AccountSource, TransactionSource } from './sources.ts'

/** As in Besu what waits is told, and everything else is asked of the latest state. */
export const PENDING_RESOLVERS: Resolvers<unknown> = {
  transactionCount: (_, _args, { rpc }) => rpc.pool.size,
  transactions: (_, _args, { rpc }): readonly TransactionSource[] => rpc.pool.list().map(pooledSource),
  account: (_, { address }: { readonly address: string }, { rpc }): AccountSource => ({
    address: fromHex(address),
    number: rpc.chain.head().header.number,
  }),
  call: (_, { data }: { readonly data: CallData }, scope) => call(scope, LATEST, data),
  estimateGas: (_, { data }: { readonly data: CallData }, scope) => estimateGas(scope, LATEST, data),
}
