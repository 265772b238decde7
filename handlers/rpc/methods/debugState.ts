import { accountAt, accountRange, storageRangeAt } from '../debugState/ranges.ts'
import { getBadBlocks } from '../debugState/badBlocks.ts'
import { RpcError } from '../dispatch/errors.ts'
import { type Call, type Method, method } from './method.ts'
import type { RpcContext } from '../context.ts'
import { batchErrorOf } from '../pool/batchErrors.ts'
import { type Submitted, submitAll } from '../pool/sendRawTransaction.ts'

const statusOf = (submitted: Submitted, index: number): unknown =>
  submitted instanceof Error
    ? { index, success: false, errorMessage: batchErrorOf(submitted) }
    : { index, success: true }

/** Each parameter is a transaction; all are put into the pool in their order. */
const batchSend = async ({ params }: Call, context: RpcContext): Promise<unknown> => {
  const { batchSizeMax } = context.options
  if (batchSizeMax > 0 && params.length > batchSizeMax) throw new RpcError('BATCH_TOO_LARGE')
  const submitted = await submitAll(
    params.map(param => [param]),
    context,
  )
  return submitted.map(statusOf)
}

/** Transactions are executed again for them. */
const ASIDE = { aside: 'always' } as const

/** The state as it was between transactions, what was refused, and transactions by the dozen. */
export const DEBUG_STATE_METHODS: readonly Method[] = [
  method('debug_accountRange', ['block', 'ignored', 'addressHash', 'maxResults'], accountRange, ASIDE),
  method(
    'debug_storageRangeAt',
    ['block', 'transactionIndex', 'address', 'startKey', 'limit'],
    storageRangeAt,
    ASIDE,
  ),
  method('debug_accountAt', ['block', 'transactionIndex', 'address'], accountAt, ASIDE),
  method('debug_getBadBlocks', [], (_, context) => getBadBlocks(context)),
  method('debug_batchSendRawTransaction', ['transactions…'], batchSend),
]
