import type { Method } from '../rpc/methods/method.ts'

/** What may be permitted: a row of the method table, or a right of a transport's own, such as one to read by GraphQL. */
export type Right = Pick<Method, 'name' | 'permission'>

/** What one asks for whose request is not read. */
export const ANY_METHOD: Right = { name: 'any method', permission: '*:*' }

/** Who a request comes from, as far as rights go; asked for every method before its parameters are read. */
export type Caller = {
  readonly permits: (right: Right) => boolean
  /** Told of each right that was asked for and refused, for the audit log. */
  readonly denied: (right: Right) => void
}

/** Where authentication is off. */
export const EVERYONE: Caller = { permits: () => true, denied: () => undefined }
