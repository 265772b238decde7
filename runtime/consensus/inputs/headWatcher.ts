import type { Address } from '../../../core/bytes/bytes.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { QbftConsensus } from '../../../core/genesis/qbftSchedule.ts'
import type { HeadContext } from '../../../core/qbft/input.ts'
import { errorText } from '../../../core/text/errorText.ts'
import type { Log } from '../../logging/log.ts'
import { validatorSetFault } from './validatorSet.ts'
import { headContextOf } from './headContext.ts'

/** Delay before retrying after the parameters of the next block could not be read. */
const HEAD_RETRY_MS = 1_000

export type HeadWatcher = {
  /** Reports the head again, because `isActive` may have changed. */
  readonly refresh: () => void
  /** Why the validators of the next block cannot be read, or cannot be a quorum; undefined while they can. */
  readonly failure: () => string | undefined
  /** Resolves when no report is in progress. */
  stop(): Promise<void>
}

/** Remembers why the next block has no quorum of validators that can be read, and logs each reason once. */
const createReadFailure = (log: Log) => {
  let failure: { readonly number: bigint; readonly reason: string; readonly sentence: string } | undefined
  return {
    /** @param number of the block whose validators cannot be read */
    note: (number: bigint, error: unknown): void => {
      const reason = errorText(error)
      if (failure?.number !== number || failure.reason !== reason)
        log.error('The validators of block {number} cannot be read: {error}', { number, error })
      failure = { number, reason, sentence: `the validators of block ${number} cannot be read: ${reason}` }
    },
    /** The validators were read. */
    check: (number: bigint, validators: readonly Address[]): void => {
      const fault = validatorSetFault(number, validators)
      if (fault !== undefined && failure?.sentence !== fault)
        log.error('No block can be decided: {fault}', { fault })
      failure = fault === undefined ? undefined : { number, reason: fault, sentence: fault }
    },
    text: (): string | undefined => failure?.sentence,
  }
}

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
  const failure = createReadFailure(log)

  const reportLatest = async (): Promise<void> => {
    for (;;) {
      if (!isNew || stopped) return
      isNew = false
      const head = chain.head()
      await options.poolSettled()
      const active = options.isActive()
      const context = await headContextOf(chain, options.consensus, head, { arrivedMs, active })
      failure.check(head.header.number + 1n, context.validators)
      if (!stopped && chain.head().header.number === head.header.number) options.report(context)
    }
  }

  const run = (): void => {
    isNew = true
    if (stopped || running !== undefined) return
    clearTimeout(retry)
    running = reportLatest()
      .catch((error: unknown) => {
        failure.note(chain.head().header.number + 1n, error)
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
    failure: failure.text,
    stop: async () => {
      stopped = true
      clearTimeout(retry)
      unsubscribe()
      await running
    },
  }
}
