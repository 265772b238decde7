import type { RpcHost } from '../../handlers/rpc/context.ts'
import { minGasPriceOf } from '../../handlers/rpc/fees/nextHead.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Log } from '../logging/log.ts'
import { createCallPool, defaultCallWorkers, type CallPool } from '../threads/calls/callPool.ts'

type Options = Pick<NodeOptions, 'rpcWorkers' | 'evmCompilerEnabled'>

/** Opens the worker threads that run RPC calls; undefined with --rpc-workers=0, when all calls run on the main thread. */
export const openCallWorkers = (
  host: RpcHost,
  { rpcWorkers, evmCompilerEnabled }: Options,
  log: Log,
): CallPool | undefined => {
  const workers = rpcWorkers ?? defaultCallWorkers()
  if (workers === 0) return undefined
  return createCallPool({
    chain: host.chain,
    options: host.options,
    minGasPrice: () => minGasPriceOf(host),
    workers,
    evmCompilerEnabled,
    nowMs: host.nowMs,
    answers: host.answers,
    reportError: host.reportError,
    onWorkerFailure: error =>
      log.warn(
        'A call worker has ended: {error}. Another takes its place, or the main thread if none can start',
        {
          error,
        },
      ),
  })
}
