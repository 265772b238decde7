import type { Permission } from '../auth/caller.ts'
import { SUBSCRIBE } from '../auth/connection.ts'
import { methodNamed } from './methods.ts'

/**
 * The JSON-RPC method whose permission a caller needs, by type and field: a token allows the same by GraphQL as by
 * JSON-RPC. Other fields need no permission beyond that of the field that leads to them.
 */
const METHOD_OF_FIELD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Query: {
    block: 'eth_getBlockByNumber',
    blocks: 'eth_getBlockByNumber',
    transaction: 'eth_getTransactionByHash',
    logs: 'eth_getLogs',
    gasPrice: 'eth_gasPrice',
    maxPriorityFeePerGas: 'eth_maxPriorityFeePerGas',
    syncing: 'eth_syncing',
    chainID: 'eth_chainId',
    validators: 'qbft_getValidatorsByBlockNumber',
  },
  Mutation: { sendRawTransaction: 'eth_sendRawTransaction' },
  Pending: {
    transactionCount: 'txpool_besuTransactions',
    transactions: 'txpool_besuPendingTransactions',
    call: 'eth_call',
    estimateGas: 'eth_estimateGas',
  },
  Block: {
    parent: 'eth_getBlockByNumber',
    logs: 'eth_getLogs',
    call: 'eth_call',
    estimateGas: 'eth_estimateGas',
    raw: 'debug_getRawBlock',
    rawHeader: 'debug_getRawHeader',
  },
  Transaction: {
    block: 'eth_getBlockByNumber',
    status: 'eth_getTransactionReceipt',
    gasUsed: 'eth_getTransactionReceipt',
    cumulativeGasUsed: 'eth_getTransactionReceipt',
    effectiveGasPrice: 'eth_getTransactionReceipt',
    effectiveTip: 'eth_getTransactionReceipt',
    blobGasUsed: 'eth_getTransactionReceipt',
    blobGasPrice: 'eth_getTransactionReceipt',
    createdContract: 'eth_getTransactionReceipt',
    logs: 'eth_getTransactionReceipt',
    revertReason: 'eth_getTransactionReceipt',
    raw: 'debug_getRawTransaction',
    rawReceipt: 'debug_getRawReceipts',
  },
  Log: { transaction: 'eth_getTransactionByHash' },
  Account: {
    balance: 'eth_getBalance',
    transactionCount: 'eth_getTransactionCount',
    code: 'eth_getCode',
    storage: 'eth_getStorageAt',
  },
  Qbft: {
    pendingVotes: 'qbft_getPendingVotes',
    signerMetrics: 'qbft_getSignerMetrics',
  },
}

/** The permission that a field needs; undefined for a field without a permission of its own. */
export const permissionOfField = (type: string, field: string): Permission | undefined => {
  if (type === 'Subscription') return SUBSCRIBE
  const name = METHOD_OF_FIELD[type]?.[field]
  return name === undefined ? undefined : methodNamed(name)
}
