import { sendUnsigned, developmentOf } from '../../development/signing.ts'
import { given, hashOf, required, requireAddress } from '../../parameters/values.ts'
import { developmentMethod, type Method } from '../../method.ts'

/** The transaction pool of a development chain, as in anvil and Hardhat. */
export const DEV_POOL_METHODS: readonly Method[] = [
  ...developmentMethod(['anvil_dropTransaction', 'hardhat_dropTransaction'], {
    summary: 'Removes a transaction from the pool; false if it is not pooled',
    params: { transactionHash: 'Hash' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const hash = required(hashOf(given(params, 0)), 'INVALID_TRANSACTION_HASH')
      developmentOf(context)
      const isPooled = context.pool.get(hash) !== undefined
      context.pool.remove(hash)
      return isPooled
    },
  }),
  ...developmentMethod(['anvil_dropAllTransactions', 'hardhat_dropAllTransactions'], {
    summary: 'Removes all transactions from the pool',
    params: {},
    result: 'Boolean',
    handle: (_, context) => {
      developmentOf(context)
      for (const { transaction } of context.pool.list()) context.pool.remove(transaction.hash)
      return true
    },
  }),
  ...developmentMethod(['anvil_removePoolTransactions'], {
    summary: 'Removes the transactions of an account from the pool',
    params: { account: 'Address' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const account = requireAddress(params, 0)
      developmentOf(context)
      for (const { transaction } of context.pool.ofSender(account).transactions)
        context.pool.remove(transaction.hash)
      return true
    },
  }),
  ...developmentMethod(['eth_sendUnsignedTransaction'], {
    summary: 'Sends a transaction of any account without its signature',
    params: { transaction: 'Call' },
    result: 'Hash',
    handle: sendUnsigned,
  }),
]
