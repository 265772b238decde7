import { errorText } from '../../core/text/errorText.ts'
import type { Hash } from '../../core/bytes/bytes.ts'
import type { Block, Withdrawal } from '../../core/block/block.ts'
import { transactionOf } from '../../core/block/codec/transaction.ts'
import type { TransactionFields } from '../../core/block/codec/transactionItem.ts'
import type { Log, Receipt } from '../../core/block/receipt.ts'
import type { AccessListEntry, Authorization, TransactionType } from '../../core/block/transaction.ts'
import type { BlockRecord, ChainHead } from '../../core/store/store.ts'
import { headerOfJson } from '../../core/verify/headerJson.ts'
import { bytesField, type Fields, fieldsOf, has, listField, quantityField } from './fields.ts'
import { forkUnavailable } from './upstream.ts'

const LAST_TYPE = 4

const headerOf = ({ what, values }: Fields) => {
  try {
    // Chains without proof of work answer null to some fields of it.
    return headerOfJson({
      ...values,
      mixHash: values['mixHash'] ?? `0x${'0'.repeat(64)}`,
      nonce: values['nonce'] ?? '0x0000000000000000',
    })
  } catch (cause) {
    throw forkUnavailable(`${what}: ${errorText(cause)}`, cause)
  }
}

/** Header and hash of a block of `eth_getBlockByNumber`. @throws RpcError `FORK_UNAVAILABLE` */
export const headOfJson = (fields: Fields): ChainHead => ({
  header: headerOf(fields),
  hash: bytesField(fields, 'hash', 32),
  // Nodes no longer have it for networks with proof of stake.
  totalDifficulty: has(fields, 'totalDifficulty') ? quantityField(fields, 'totalDifficulty') : 0n,
})

const typeOf = (fields: Fields): TransactionType => {
  const type = has(fields, 'type') ? quantityField(fields, 'type') : 0n
  if (type > LAST_TYPE)
    throw forkUnavailable(`${fields.what} has the type ${type}, which this node does not know`)
  return Number(type) as TransactionType
}

const accessListOf = (fields: Fields): readonly AccessListEntry[] =>
  (has(fields, 'accessList') ? listField(fields, 'accessList') : []).map(value => {
    const entry = fieldsOf('entry of an access list', value)
    return {
      address: bytesField(entry, 'address', 20),
      storageKeys: listField(entry, 'storageKeys').map(key =>
        bytesField({ what: 'access list', values: { key } }, 'key', 32),
      ),
    }
  })

const authorizationOf = (value: unknown): Authorization => {
  const fields = fieldsOf('authorization', value)
  return {
    chainId: quantityField(fields, 'chainId'),
    address: bytesField(fields, 'address', 20),
    nonce: quantityField(fields, 'nonce'),
    yParity: quantityField(fields, has(fields, 'yParity') ? 'yParity' : 'v'),
    r: quantityField(fields, 'r'),
    s: quantityField(fields, 's'),
  }
}

/** EIP-155 of a legacy transaction; typed ones have both values as fields. */
const signatureOf = (fields: Fields, type: TransactionType) => {
  if (type > 0)
    return {
      chainId: quantityField(fields, 'chainId'),
      yParity: Number(quantityField(fields, has(fields, 'yParity') ? 'yParity' : 'v')),
    }
  const v = quantityField(fields, 'v')
  return v < 35n
    ? { chainId: undefined, yParity: Number(v >= 27n ? v - 27n : v) & 1 }
    : { chainId: (v - 35n) >> 1n, yParity: Number((v - 35n) & 1n) }
}

const transactionFieldsOf = (fields: Fields): TransactionFields => {
  const type = typeOf(fields)
  const price = (name: string): bigint => quantityField(fields, type < 2 ? 'gasPrice' : name)
  return {
    type,
    ...signatureOf(fields, type),
    nonce: quantityField(fields, 'nonce'),
    maxPriorityFeePerGas: price('maxPriorityFeePerGas'),
    maxFeePerGas: price('maxFeePerGas'),
    gasLimit: quantityField(fields, 'gas'),
    to: has(fields, 'to') ? bytesField(fields, 'to', 20) : undefined,
    value: quantityField(fields, 'value'),
    data: bytesField(fields, 'input'),
    accessList: accessListOf(fields),
    maxFeePerBlobGas: type === 3 ? quantityField(fields, 'maxFeePerBlobGas') : 0n,
    blobVersionedHashes:
      type === 3
        ? listField(fields, 'blobVersionedHashes').map(hash =>
            bytesField({ what: fields.what, values: { hash } }, 'hash', 32),
          )
        : [],
    authorizationList: type === 4 ? listField(fields, 'authorizationList').map(authorizationOf) : [],
    r: quantityField(fields, 'r'),
    s: quantityField(fields, 's'),
  }
}

const withdrawalOf = (value: unknown): Withdrawal => {
  const fields = fieldsOf('withdrawal', value)
  return {
    index: quantityField(fields, 'index'),
    validatorIndex: quantityField(fields, 'validatorIndex'),
    address: bytesField(fields, 'address', 20),
    amountGwei: quantityField(fields, 'amount'),
  }
}

const logOf = (value: unknown): Log => {
  const fields = fieldsOf('log', value)
  return {
    address: bytesField(fields, 'address', 20),
    topics: listField(fields, 'topics').map(topic =>
      bytesField({ what: 'log', values: { topic } }, 'topic', 32),
    ),
    data: bytesField(fields, 'data'),
  }
}

const receiptOf = (value: unknown, gasPrice: bigint): Receipt => {
  const fields = fieldsOf('receipt', value)
  const quantityOr = (name: string, otherwise: bigint): bigint =>
    has(fields, name) ? quantityField(fields, name) : otherwise
  return {
    type: typeOf(fields),
    status: has(fields, 'status') ? quantityField(fields, 'status') === 1n : undefined,
    postStateRoot: has(fields, 'root') && !has(fields, 'status') ? bytesField(fields, 'root', 32) : undefined,
    cumulativeGasUsed: quantityField(fields, 'cumulativeGasUsed'),
    logsBloom: bytesField(fields, 'logsBloom', 256),
    logs: listField(fields, 'logs').map(logOf),
    gasUsed: quantityField(fields, 'gasUsed'),
    effectiveGasPrice: quantityOr('effectiveGasPrice', gasPrice),
    contractAddress: has(fields, 'contractAddress') ? bytesField(fields, 'contractAddress', 20) : undefined,
    blobGasUsed: quantityOr('blobGasUsed', 0n),
    blobGasPrice: quantityOr('blobGasPrice', 0n),
    revertReason: has(fields, 'revertReason') ? bytesField(fields, 'revertReason') : undefined,
  }
}

/**
 * The record of a block with whole transactions, and its receipts. The uncles of such a block are not read.
 * @throws RpcError `FORK_UNAVAILABLE`
 */
export const recordOfJson = (block: Fields, receipts: readonly unknown[]): BlockRecord => {
  const transactions = listField(block, 'transactions').map(value => fieldsOf('transaction', value))
  if (receipts.length !== transactions.length)
    throw forkUnavailable(
      `${block.what} has ${transactions.length} transactions but ${receipts.length} receipts at the upstream node`,
    )
  const decoded = transactions.map(fields => transactionOf(transactionFieldsOf(fields)))
  const body: Block = {
    header: headerOf(block),
    transactions: decoded,
    ommers: [],
    withdrawals: has(block, 'withdrawals') ? listField(block, 'withdrawals').map(withdrawalOf) : undefined,
  }
  return {
    ...headOfJson(block),
    block: body,
    senders: transactions.map(fields => bytesField(fields, 'from', 20)),
    receipts: receipts.map((value, index) => receiptOf(value, decoded[index]?.maxFeePerGas ?? 0n)),
  }
}

/** The hashes of a block's transactions. */
export const transactionHashes = (block: Fields): readonly Hash[] =>
  listField(block, 'transactions').map(value => bytesField(fieldsOf('transaction', value), 'hash', 32))
