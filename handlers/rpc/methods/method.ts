import type { RpcContext } from '../context.ts'
import type { Outcome } from '../dispatch/envelope.ts'
import type { Connection } from '../dispatch/connection.ts'

/** JSON values by position; an index beyond the end and null both mean "not given". */
export type Params = readonly unknown[]

/** The one request a method answers. */
export type Call = {
  readonly params: Params
  /** True once nobody waits for the answer any more; long work asks now and then. */
  readonly expired: () => boolean
  /** What it came over; undefined where a connection does not last. */
  readonly connection?: Connection | undefined
}

/** One row of the method table. */
export type Method = {
  readonly name: string
  /** The API group that serves it, upper case. */
  readonly group: string
  /** What a token must permit: the name with colons. */
  readonly permission: string
  /** Its parameters as a reader would write them, `?` behind optional ones. */
  readonly params: readonly string[]
  /** Gives the result, a JSON value; undefined counts as null. @throws RpcError */
  readonly handle: (call: Call, context: RpcContext) => unknown
  /** Where neighbouring calls of a batch are cheaper together: an outcome for each, in order. */
  readonly handleTogether?: (calls: readonly Call[], context: RpcContext) => Promise<readonly Outcome[]>
  /**
   * Where the host has other threads, `always` runs it there, and `long` when it takes longer than a short call. Such a method
   * reads the chain and knows the options, and nothing else of the node.
   */
  readonly aside?: 'always' | 'long'
}

/** Besu's permission of a method: `eth_blockNumber` is `eth:blockNumber`. */
export const permissionOf = (name: string): string => name.replaceAll('_', ':')

/** A row; its group is what stands before the underscore unless given. */
export const method = (
  name: string,
  params: readonly string[],
  handle: Method['handle'],
  more: Partial<Pick<Method, 'group' | 'handleTogether' | 'aside'>> = {},
): Method => ({
  name,
  group: name.slice(0, name.indexOf('_')).toUpperCase(),
  permission: permissionOf(name),
  params,
  handle,
  ...more,
})

/** Rows that run on another thread wherever the host has one. */
export const allAside = (rows: readonly Method[]): readonly Method[] =>
  rows.map(row => ({ ...row, aside: 'always' }))
