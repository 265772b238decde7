import type { Tracer } from '../../../core/evm/interpreter/tracer.ts'
import type { RpcContext } from '../context.ts'
import { RunsLong } from '../dispatch/offload.ts'

/**
 * Runs a call, and on a development chain writes what it prints with `console.log`. A run that must begin again, because
 * entries of the store are missing, prints when it is complete.
 */
export const withConsole = <T>({ development }: RpcContext, run: (tracer?: Tracer) => T): T => {
  if (development === undefined) return run()
  const { hooks, flush } = development.console()
  try {
    const result = run(hooks)
    flush()
    return result
  } catch (error) {
    // The call moves to a call worker, which has no log: what it printed so far is all there is.
    if (error instanceof RunsLong) flush()
    throw error
  }
}
