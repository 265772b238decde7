import { proofOfMethod } from '../rpc/dispatch/answerProof.ts'
import { forwardedRow } from '../rpc/dispatch/forwarding.ts'
import { WorkerRefusal } from '../rpc/dispatch/offload.ts'
import type { Method } from '../rpc/method.ts'
import { METHODS } from '../rpc/methods/methodTable.ts'
import type { RequestScope } from './context.ts'
import { FetchError } from './errors.ts'

const BY_NAME: ReadonlyMap<string, Method> = new Map(METHODS.map(row => [row.name, row]))

/** The JSON-RPC method that answers a field, or whose permission it needs. */
export const methodNamed = (name: string): Method => {
  const row = BY_NAME.get(name)
  if (row === undefined) throw new Error(`unknown method: ${name}`)
  return row
}

/**
 * The method's result, a JSON value; that of another node where this one has no pool.
 * @throws RpcError; FetchError with the other node's error
 */
export const answerOf = async (
  { rpc, expired, authorization, proofs }: Pick<RequestScope, 'rpc' | 'expired' | 'authorization' | 'proofs'>,
  name: string,
  ...params: readonly unknown[]
): Promise<unknown> => {
  const row = methodNamed(name)
  proofs.note(proofOfMethod(name, params))
  const { forwardCall } = rpc
  const { handle } = forwardCall === undefined ? row : forwardedRow(row, forwardCall)
  try {
    return await handle({ params, expired, authorization }, rpc)
  } catch (error) {
    if (error instanceof WorkerRefusal) throw new FetchError(error.refusal.message, error.refusal.code)
    throw error
  }
}
