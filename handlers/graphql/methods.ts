import type { Method } from '../rpc/methods/method.ts'
import { METHODS } from '../rpc/methods/methodTable.ts'
import type { RequestScope } from './context.ts'

const BY_NAME: ReadonlyMap<string, Method> = new Map(METHODS.map(row => [row.name, row]))

/** The JSON-RPC method that answers a field, or whose permission it needs. */
export const methodNamed = (name: string): Method => {
  const row = BY_NAME.get(name)
  if (row === undefined) throw new Error(`unknown method: ${name}`)
  return row
}

/** The method's result, a JSON value. @throws RpcError */
export const answerOf = async (
  { rpc, expired }: Pick<RequestScope, 'rpc' | 'expired'>,
  name: string,
  ...params: readonly unknown[]
): Promise<unknown> => await methodNamed(name).handle({ params, expired }, rpc)
