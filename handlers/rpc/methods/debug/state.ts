import { getBadBlocks } from '../../debugState/badBlocks.ts'
import { RpcError } from '../../errors.ts'
import { type Call, type Method, method } from '../../method.ts'
import type { RpcContext } from '../../context.ts'
import { batchErrorOf } from '../../pool/batchErrors.ts'
import { type Submitted, submitAll } from '../../pool/sendRawTransaction.ts'
import { accountAt, accountRange, storageRangeAt } from '../../debugState/ranges.ts'

const statusOf = (submitted: Submitted, index: number): unknown =>
  submitted instanceof Error
    ? { index, success: false, errorMessage: batchErrorOf(submitted) }
    : { index, success: true }

/** Each parameter is a transaction; all are added to the pool in order. */
const batchSend = async ({ params }: Call, context: RpcContext): Promise<unknown> => {
  const { batchSizeMax } = context.options
  if (batchSizeMax > 0 && params.length > batchSizeMax) throw new RpcError('BATCH_TOO_LARGE')
  const submitted = await submitAll(
    params.map(param => [param]),
    context,
  )
  return submitted.map(statusOf)
}

/** States between transactions, rejected blocks, and batches of transactions. */
export const DEBUG_STATE_METHODS: readonly Method[] = [
  method({
    name: 'debug_accountRange',
    summary: 'Returns accounts in the order of their hashed addresses',
    params: {
      block: 'BlockNumberOrTagOrHash',
      ignored: 'Quantity',
      addressHash: 'Key',
      maxResults: 'ResultCount',
    },
    result: 'Object',
    offload: 'always',
    handle: accountRange,
  }),
  method({
    name: 'debug_storageRangeAt',
    summary: 'Returns storage slots of an account after a transaction',
    params: {
      block: 'BlockNumberOrTagOrHash',
      transactionIndex: 'Index',
      address: 'Address',
      startKey: 'Key',
      limit: 'ResultCount',
    },
    result: 'Object',
    offload: 'always',
    handle: storageRangeAt,
  }),
  method({
    name: 'debug_accountAt',
    summary: 'Returns an account after a transaction',
    params: { block: 'BlockNumberOrTagOrHash', transactionIndex: 'Index', address: 'Address' },
    result: 'Object',
    offload: 'always',
    handle: accountAt,
  }),
  method({
    name: 'debug_getBadBlocks',
    summary: 'Returns the most recently rejected blocks with the reasons',
    params: {},
    result: 'Objects',
    handle: (_, context) => getBadBlocks(context),
  }),
  method({
    name: 'debug_batchSendRawTransaction',
    summary: 'Adds several signed transactions to the pool',
    params: { 'transactions…': 'SignedTransaction' },
    result: 'Objects',
    handle: batchSend,
  }),
]
