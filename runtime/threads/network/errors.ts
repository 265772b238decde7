import { EnodeError, type EnodeErrorCode } from '../../../p2p/transport/enode.ts'
import { NetworkError, type NetworkErrorCode } from '../../../p2p/error.ts'

/** An error as sent between threads; structured cloning would lose its class and fields. */
export type PlainError = {
  readonly name: string
  readonly message: string
  readonly stack?: string
  readonly code?: string
  readonly detail?: string
}

const textIn = (cause: object, key: string): string | undefined => {
  const value: unknown = Reflect.get(cause, key)
  return typeof value === 'string' ? value : undefined
}

export const plainError = (cause: unknown): PlainError => {
  if (!(cause instanceof Error)) return { name: 'Error', message: String(cause) }
  const { name, message, stack } = cause
  const code = textIn(cause, 'code')
  const detail = textIn(cause, 'detail')
  return {
    name,
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
  }
}

/** Restores the error, with its class where callers check it. */
export const errorOf = ({ name, message, stack, code, detail = '' }: PlainError): Error => {
  const made =
    name === 'NetworkError'
      ? new NetworkError(code as NetworkErrorCode, message)
      : name === 'EnodeError'
        ? new EnodeError(code as EnodeErrorCode, '', detail)
        : Object.assign(new Error(), code === undefined ? {} : { code }, { name })
  return Object.assign(made, { message }, stack === undefined ? {} : { stack })
}

const isCloneable = (value: unknown): boolean =>
  value === undefined || value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value)

export type PlainValue = { readonly error: PlainError } | { readonly value: unknown }

/** The values of a log line in a form that can be sent between threads. */
export const plainValues = (values: Readonly<Record<string, unknown>>): Record<string, PlainValue> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value instanceof Error
        ? { error: plainError(value) }
        : {
            value:
              isCloneable(value) || (Array.isArray(value) && value.every(isCloneable))
                ? value
                : String(value),
          },
    ]),
  )

export const valuesOf = (plain: Readonly<Record<string, PlainValue>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(plain).map(([key, plainValue]) => [
      key,
      'error' in plainValue ? errorOf(plainValue.error) : plainValue.value,
    ]),
  )
