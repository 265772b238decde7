import type { Chain } from '../../core/chain/chain.ts'
import type { QbftConsensus } from '../../core/genesis/schedule.ts'
import type { HeadContext } from '../../core/qbft/input.ts'
import type { Log } from '../logging/log.ts'
import { headContextOf } from './headContext.ts'

/** After a failure to find out who governs the next block. */
const RETRY_MS = 1_000

export type HeadPump = {
  /** Tells the head again, because `isActive` may give something else. */
  readonly refresh: () => void
  /** Resolves when nothing is under way. */
  stop(): Promise<void>
}

/** Tells every head that the machine must know of: the latest one, while there come more than it can be told of. */
export const startHeadPump = (options: {
  readonly chain: Chain
  readonly consensus: QbftConsensus
  readonly isActive: () => boolean
  /** Resolves when the pool is rid of what the head made stale. */
  readonly poolSettled: () => Promise<void>
  readonly tell: (head: HeadContext) => void
  readonly log: Log
}): HeadPump => {
  const { chain, log } = options
  let arrivedMs = Date.now()
  let stopped = false
  let isNew = true
  let running: Promise<void> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined

  const tellLatest = async (): Promise<void> => {
    for (;;) {
      if (!isNew || stopped) return
      isNew = false
      const head = chain.head()
      await options.poolSettled()
      const active = options.isActive()
      const context = await headContextOf(chain, options.consensus, head, { arrivedMs, active })
      if (!stopped && chain.head().header.number === head.header.number) options.tell(context)
    }
  }

  const run = (): void => {
    isNew = true
    if (stopped || running !== undefined) return
    clearTimeout(retry)
    running = tellLatest()
      .catch((error: unknown) => {
        log.error('Who makes the block after {number} could not be found out: {error}', {
          number: chain.head().header.number,
          error,
        })
        retry = setTimeout(run, RETRY_MS)
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
    stop: async () => {
      stopped = true
      clearTimeout(retry)
      unsubscribe()
      await running
    },
  }
}
