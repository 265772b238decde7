import type { RpcHost } from '../../handlers/rpc/context.ts'
import { minGasPriceOf } from '../../handlers/rpc/fees/nextHead.ts'
import type { Log } from '../logging/log.ts'
import { createReaderPool, defaultReaders, type ReaderPool } from '../threads/calls/pool.ts'

/** Threads for the calls of this node's clients. @param workers as --rpc-workers; 0 runs all calls on the main thread */
export const openReaders = (host: RpcHost, workers: number | undefined, log: Log): ReaderPool | undefined => {
  const readers = workers ?? defaultReaders()
  if (readers === 0) return undefined
  return createReaderPool({
    chain: host.chain,
    options: host.options,
    minGasPrice: () => minGasPriceOf(host),
    readers,
    nowMs: host.nowMs,
    reportError: host.reportError,
    onReaderFailure: error => log.warn('A thread for calls has ended: {error}', { error }),
  })
}
