import type { ForwardCall, RpcHost } from '../context.ts'
import type { Method } from '../method.ts'
import { RpcError } from '../errors.ts'
import { WorkerRefusal } from './offload.ts'

/** Methods that need a node with a pool: they send transactions, or keep state between two calls. */
const FORWARDED =
  /^(?:eth_send|eth_fillTransaction$|eth_newFilter$|eth_new\w+Filter$|eth_getFilter|eth_uninstallFilter$|txpool_)/

/** True for a method that a reader does not answer itself. */
export const isForwarded = (name: string): boolean => FORWARDED.test(name)

/** Refuses what listens to the pool on a reader, whose pool stays empty. @throws RpcError */
export const requirePool = ({ forwardCall }: Pick<RpcHost, 'forwardCall'>): void => {
  if (forwardCall !== undefined)
    throw new RpcError('METHOD_NOT_ENABLED', { data: 'a reader has no pool: subscribe at a node' })
}

/** The row of a method on a reader without a pool: it returns the answer of another node. */
export const forwardedRow = (row: Method, forwardCall: ForwardCall): Method => {
  if (!isForwarded(row.name)) return row
  const { handleMany: _, offload: __, ...rest } = row
  return {
    ...rest,
    handle: async ({ params, authorization = null }) => {
      const outcome = await forwardCall(row.name, params, authorization)
      if ('error' in outcome) throw new WorkerRefusal(outcome.error)
      return outcome.result
    },
  }
}
