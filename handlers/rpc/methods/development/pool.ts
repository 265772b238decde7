import type { Hash } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import type { RpcContext } from '../../context.ts'
import { sendUnsigned, developmentOf } from '../../development/signing.ts'
import { given, hashOf, required, requireAddress } from '../../parameters/values.ts'
import { RpcError } from '../../errors.ts'
import { type Call, developmentMethod, developmentSetter, type Method } from '../../method.ts'

const drop = ({ params }: Call, context: RpcContext): { readonly hash: Hash; readonly isPooled: boolean } => {
  const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
  developmentOf(context)
  const isPooled = context.pool.get(hash) !== undefined
  context.pool.remove(hash)
  return { hash, isPooled }
}

/** The transaction pool of a development chain, as in anvil and Hardhat. */
export const DEV_POOL_METHODS: readonly Method[] = [
  ...developmentMethod(['anvil_dropTransaction'], {
    summary: 'Removes a transaction from the pool; null if it is not pooled',
    params: { transactionHash: 'Hash' },
    result: 'HashOrNothing',
    handle: (call, context) => {
      const { hash, isPooled } = drop(call, context)
      return isPooled ? toHex(hash) : null
    },
  }),
  ...developmentMethod(['hardhat_dropTransaction'], {
    summary: 'Removes a transaction from the pool; false if it is not pooled, an error if it is in a block',
    params: { transactionHash: 'Hash' },
    result: 'Boolean',
    handle: async (call, context) => {
      const { hash, isPooled } = drop(call, context)
      if (!isPooled && (await context.chain.store.transactionLocation(hash)) !== undefined)
        throw new RpcError('DEVELOPMENT_REFUSED', { detail: 'the transaction is in a block already' })
      return isPooled
    },
  }),
  ...developmentSetter(['anvil_dropAllTransactions', 'hardhat_dropAllTransactions'], {
    summary: 'Removes all transactions from the pool',
    params: {},
    apply: (_, context) => {
      developmentOf(context)
      for (const { transaction } of context.pool.list()) context.pool.remove(transaction.hash)
    },
  }),
  ...developmentSetter(['anvil_removePoolTransactions'], {
    summary: 'Removes the transactions of an account from the pool',
    params: { account: 'Address' },
    apply: ({ params }, context) => {
      const account = requireAddress(params, 0)
      developmentOf(context)
      for (const { transaction } of context.pool.ofSender(account).transactions)
        context.pool.remove(transaction.hash)
    },
  }),
  ...developmentMethod(['eth_sendUnsignedTransaction'], {
    summary: 'Sends a transaction of any account without its signature',
    params: { transaction: 'Call' },
    result: 'Hash',
    handle: sendUnsigned,
  }),
]
