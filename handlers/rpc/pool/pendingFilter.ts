import { isObject } from '../../../core/json.ts'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import type { PooledTransaction } from '../../../core/txpool/pool.ts'
import { RpcError } from '../errors.ts'
import { addressOf, integerOf } from '../parameters/values.ts'

export type PendingFilter = (transaction: PooledTransaction) => boolean

/** The transaction's value for each numeric field of the filter. */
const NUMBERS: Readonly<Record<string, (one: PooledTransaction) => bigint>> = {
  gas: ({ transaction }) => transaction.gasLimit,
  gasPrice: ({ transaction }) => transaction.maxFeePerGas,
  value: ({ transaction }) => transaction.value,
  nonce: ({ transaction }) => transaction.nonce,
}

const refuse = (reason: string): never => {
  throw new RpcError('INVALID_PENDING_TRANSACTIONS', { data: `filter.${reason}` })
}

/** The single condition of a field: its operator and its operand. */
const readCondition = (field: string, value: unknown): readonly [operator: string, operand: unknown] => {
  const entries = isObject(value) ? Object.entries(value) : []
  const [entry] = entries
  return entries.length === 1 && entry !== undefined
    ? entry
    : refuse(`${field}: an object with one condition`)
}

const numberFilter = (field: string, value: unknown): PendingFilter => {
  const numberOf =
    (Object.hasOwn(NUMBERS, field) ? NUMBERS[field] : undefined) ??
    refuse(`${field.slice(0, 40)}: not a member of a filter`)
  const [operator, operand] = readCondition(field, value)
  const bound = integerOf(operand) ?? refuse(`${field}: an integer of at most 256 bits`)
  switch (operator) {
    case 'eq':
      return one => numberOf(one) === bound
    case 'gt':
      return one => numberOf(one) > bound
    case 'lt':
      return one => numberOf(one) < bound
    default:
      return refuse(`${field}: eq, gt or lt`)
  }
}

const addressFilter = (field: 'from' | 'to', value: unknown): PendingFilter => {
  const [operator, operand] = readCondition(field, value)
  if (field === 'to' && operator === 'action')
    return operand === 'contract_creation'
      ? one => one.transaction.to === undefined
      : refuse('to.action: contract_creation')
  const address =
    (operator === 'eq' ? addressOf(operand) : undefined) ?? refuse(`${field}: eq with an address of 20 bytes`)
  return ({ sender, transaction }) => {
    const actual = field === 'from' ? sender : transaction.to
    return actual !== undefined && equalBytes(actual, address)
  }
}

/** Besu's filter: `from`, `to`, `gas`, `gasPrice`, `value` and `nonce`, each with one condition. @throws RpcError */
export const readPendingFilter = (value: unknown): PendingFilter => {
  if (value === undefined) return () => true
  if (!isObject(value)) throw new RpcError('INVALID_PENDING_TRANSACTIONS')
  const conditions = Object.entries(value).map(([field, condition]) =>
    field === 'from' || field === 'to' ? addressFilter(field, condition) : numberFilter(field, condition),
  )
  return one => conditions.every(condition => condition(one))
}
