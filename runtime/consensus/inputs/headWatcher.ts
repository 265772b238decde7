import type { Chain } from '../../../core/chain/chain.ts'
import type { QbftConsensus } from '../../../core/genesis/schedule.ts'
import type { HeadContext } from '../../../core/qbft/input.ts'
import type { Log } from '../../logging/log.ts'
import { headContextOf } from './headContext.ts'

/** Delay before retrying after the parameters of the next block could not be read. */
const HEAD_RETRY_MS = 1_000

export type HeadWatcher = {
  /** Reports the head again, because `isActive` may have changed. */
  readonly refresh: () => void
  /** Why the validators of the next block cannot be read; undefined while they can. */
  readonly failure: () => string | undefined
  /** Resolves when no report is in progress. */
  stop(): Promise<void>
}

/** A failed read of the validators, which is logged once. */
type ReadFailure = { readonly number: bigint; readonly reason: string }

/** Reports new heads to the state machine; only the latest if several arrive during a report. */
export const startHeadWatcher = (options: {
  readonly chain: Chain
  readonly consensus: QbftConsensus
  readonly isActive: () => boolean
  /** Resolves when the pool has removed the transactions that the head made stale. */
  readonly poolSettled: () => Promise<void>
  readonly report: (head: HeadContext) => void
  readonly log: Log
}): HeadWatcher => {
  const { chain, log } = options
  let arrivedMs = Date.now()
  let stopped = false
  let isNew = true
  let running: Promise<void> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let failure: ReadFailure | undefined

  const reportLatest = async (): Promise<void> => {
    for (;;) {
      if (!isNew || stopped) return
      isNew = false
      const head = chain.head()
      await options.poolSettled()
      const active = options.isActive()
      const context = await headContextOf(chain, options.consensus, head, { arrivedMs, active })
      failure = undefined
      if (!stopped && chain.head().header.number === head.header.number) options.report(context)
    }
  }

  const run = (): void => {
    isNew = true
    if (stopped || running !== undefined) return
    clearTimeout(retry)
    running = reportLatest()
      .catch((error: unknown) => {
        const { number } = chain.head().header
        const reason = error instanceof Error ? error.message : String(error)
        if (failure?.number !== number || failure.reason !== reason)
          log.error('The validators of block {number} cannot be read: {error}', {
            number: number + 1n,
            error,
          })
        failure = { number, reason }
        retry = setTimeout(run, HEAD_RETRY_MS)
      })
      .finally(() => {
        running = undefined
        if (isNew) run()
      })
  }

  const unsubscribe = chain.onHead(() => {
    arrivedMs = Date.now()
    run()
  })
  run()

  return {
    refresh: run,
    failure: () =>
      failure === undefined
        ? undefined
        : `the validators of block ${failure.number + 1n} cannot be read: ${failure.reason}`,
    stop: async () => {
      stopped = true
      clearTimeout(retry)
      unsubscribe()
      await running
    },
  }
}
