import { fromHex } from '../../../core/bytes/hex.ts'
import type { RequestScope } from '../context.ts'
import { type CallData, call, estimateGas } from './calls.ts'
import { pooledSource } from './query.ts'
import type { Resolvers } from './resolver.ts'
import type { AccountSource } from './sources.ts'

const headNumber = ({ rpc }: RequestScope): bigint => rpc.chain.head().header.number

/** The pending transactions; everything else is read from the latest state, as in Besu. */
export const PENDING_RESOLVERS: Resolvers<unknown> = {
  transactionCount: (_, _args, { rpc }) => rpc.pool.size,
  transactions: (_, _args, { rpc, yieldingList }) => yieldingList(rpc.pool.list().map(pooledSource)),
  account: (_, { address }: { readonly address: string }, scope): AccountSource => ({
    address: fromHex(address),
    number: headNumber(scope),
  }),
  call: (_, { data }: { readonly data: CallData }, scope) => call(scope, headNumber(scope), data),
  estimateGas: (_, { data }: { readonly data: CallData }, scope) =>
    estimateGas(scope, headNumber(scope), data),
}
