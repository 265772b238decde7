import type { ChainStore } from '../../core/store/store.ts'
import type { Log } from '../logging/log.ts'

/** Interval between attempts to write to a store that failed. */
const STORE_RETRY_MS = 3_000

export type StoreWatch = { readonly stop: () => Promise<void> }

/** Logs a failure of the store once, and retries until it accepts writes. */
export const startStoreWatch = (
  store: Pick<ChainStore, 'onFailed' | 'failure' | 'retry'>,
  log: Log,
): StoreWatch => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  let failedMs = 0

  const attempt = async (): Promise<void> => {
    try {
      await store.retry()
      log.info('The store accepts writes again after {seconds} s: the node continues', {
        seconds: Math.round((performance.now() - failedMs) / 1000),
      })
    } catch (error) {
      log.debug('The store still fails: {error}', { error })
      later()
    }
  }
  const later = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      running = attempt()
    }, STORE_RETRY_MS)
  }

  const unsubscribe = store.onFailed(failure => {
    failedMs = performance.now()
    log.error('{reason}', { reason: failure.message })
    later()
  })
  return {
    stop: async () => {
      stopped = true
      unsubscribe()
      clearTimeout(timer)
      await running
    },
  }
}
