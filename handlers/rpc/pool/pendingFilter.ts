import { equalBytes } from '../../../core/bytes/bytes.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import { RpcError } from '../errors.ts'
import { addressOf, integerOf, isObject, required } from '../parameters/values.ts'

export type PendingFilter = (transaction: PooledTransaction) => boolean

/** What each numeric field of the filter is compared with. */
const NUMBERS: Readonly<Record<string, (one: PooledTransaction) => bigint>> = {
  gas: ({ transaction }) => transaction.gasLimit,
  gasPrice: ({ transaction }) => transaction.maxFeePerGas,
  value: ({ transaction }) => transaction.value,
  nonce: ({ transaction }) => transaction.nonce,
}

const refuse = (): never => {
  throw new RpcError('INVALID_PENDING_TRANSACTIONS')
}

/** The one condition a field has: its operator and its operand. */
const readCondition = (value: unknown): readonly [operator: string, operand: unknown] => {
  const entries = isObject(value) ? Object.entries(value) : []
  const [entry] = entries
  return entries.length === 1 && entry !== undefined ? entry : refuse()
}

const numberFilter = (field: string, value: unknown): PendingFilter => {
  const numberOf = (Object.hasOwn(NUMBERS, field) ? NUMBERS[field] : undefined) ?? refuse()
  const [operator, operand] = readCondition(value)
  const bound = required(integerOf(operand), 'INVALID_PENDING_TRANSACTIONS')
  switch (operator) {
    case 'eq':
      return one => numberOf(one) === bound
    case 'gt':
      return one => numberOf(one) > bound
    case 'lt':
      return one => numberOf(one) < bound
    default:
      return refuse()
  }
}

const addressFilter = (field: 'from' | 'to', value: unknown): PendingFilter => {
  const [operator, operand] = readCondition(value)
  if (field === 'to' && operator === 'action')
    return operand === 'contract_creation' ? one => one.transaction.to === undefined : refuse()
  const address = operator === 'eq' ? required(addressOf(operand), 'INVALID_PENDING_TRANSACTIONS') : refuse()
  return ({ sender, transaction }) => {
    const actual = field === 'from' ? sender : transaction.to
    return actual !== undefined && equalBytes(actual, address)
  }
}

/** Besu's filter: `from`, `to`, `gas`, `gasPrice`, `value` and `nonce`, each with one condition. @throws RpcError */
export const readPendingFilter = (value: unknown): PendingFilter => {
  if (value === undefined) return () => true
  if (!isObject(value)) return refuse()
  const conditions = Object.entries(value).map(([field, condition]) =>
    field === 'from' || field === 'to' ? addressFilter(field, condition) : numberFilter(field, condition),
  )
  return one => conditions.every(condition => condition(one))
}
