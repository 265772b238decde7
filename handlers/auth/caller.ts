import type { Method } from '../rpc/method.ts'

/** Who a request comes from, as far as rights go; asked for every method before its parameters are read. */
export type Caller = {
  readonly permits: (method: Method) => boolean
}

/** Where authentication is off. */
export const EVERYONE: Caller = { permits: () => true }
