import { fromHex } from '../../core/bytes/hex.ts'
import { forkUnavailable } from './upstream.ts'

/** A JSON object of the upstream node, and what it is, for messages. */
export type Fields = { readonly what: string; readonly values: Readonly<Record<string, unknown>> }

const DATA = /^0x(?:[0-9a-fA-F]{2})*$/
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

const wrong = ({ what }: Fields, name: string): Error =>
  forkUnavailable(`${what} has no valid ${name} in the answer of the upstream node`)

/** @throws RpcError `FORK_UNAVAILABLE` if the value is not an object */
export const fieldsOf = (what: string, value: unknown): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw forkUnavailable(`the upstream node has no ${what}`)
  return { what, values: value as Fields['values'] }
}

export const has = ({ values }: Fields, name: string): boolean =>
  values[name] !== undefined && values[name] !== null

/** @param length bytes that it must have; undefined for any */
export const bytesField = (fields: Fields, name: string, length?: number): Uint8Array => {
  const value = fields.values[name]
  if (typeof value !== 'string' || !DATA.test(value)) throw wrong(fields, name)
  if (length !== undefined && value.length !== 2 + 2 * length) throw wrong(fields, name)
  return fromHex(value.slice(2).toLowerCase())
}

export const quantityField = (fields: Fields, name: string): bigint => {
  const value = fields.values[name]
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw wrong(fields, name)
  return BigInt(value)
}

export const listField = (fields: Fields, name: string): readonly unknown[] => {
  const value = fields.values[name]
  if (!Array.isArray(value)) throw wrong(fields, name)
  return value as readonly unknown[]
}

/** A value that is an answer by itself. */
export const dataOf = (what: string, value: unknown): Uint8Array =>
  bytesField({ what, values: { value } }, 'value')

export const quantityOf = (what: string, value: unknown): bigint =>
  quantityField({ what, values: { value } }, 'value')
