import type { RpcHost } from '../../handlers/rpc/context.ts'
import { minGasPriceOf } from '../../handlers/rpc/fees/nextHead.ts'
import type { Log } from '../logging/log.ts'
import { createCallPool, defaultCallWorkers, type CallPool } from '../threads/calls/pool.ts'

/** Opens the worker threads that run RPC calls. @param workerCount as --rpc-workers; 0 runs all calls on the main thread */
export const openCallWorkers = (
  host: RpcHost,
  workerCount: number | undefined,
  log: Log,
): CallPool | undefined => {
  const workers = workerCount ?? defaultCallWorkers()
  if (workers === 0) return undefined
  return createCallPool({
    chain: host.chain,
    options: host.options,
    minGasPrice: () => minGasPriceOf(host),
    workers,
    nowMs: host.nowMs,
    reportError: host.reportError,
    onWorkerFailure: error => log.warn('A call worker has ended: {error}', { error }),
  })
}
