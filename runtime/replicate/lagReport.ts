import { LAG_REPORT_MS, LAG_REPORTED_SECONDS } from './limits.ts'

/** Log lines about one replica: each change once, a long lag repeatedly. */
export type LagReport = {
  readonly opened: (height: number) => void
  /** The replica lacks blocks. */
  readonly behind: () => void
  /** A write succeeded. */
  readonly working: () => void
  readonly caughtUp: () => void
  readonly failed: (reason: string, isFenced: boolean) => void
  /** Seconds since the replica last had all blocks. */
  readonly seconds: () => number
  readonly reason: () => string | undefined
  readonly end: () => void
}

type Line = (text: string, values: Record<string, unknown>) => void

/** What a replication logs to, on its own thread or on the main one. */
export type ReplicaLog = { readonly info: Line; readonly warn: Line; readonly error: Line }

export type LagReportOptions = {
  readonly target: string
  /** Blocks that the replica lacks. */
  readonly lag: () => number
  readonly log: ReplicaLog
}

export const createLagReport = ({ target, lag, log }: LagReportOptions): LagReport => {
  let behindSinceMs: number | undefined
  let reason: string | undefined
  let isLate = false

  const seconds = (): number => {
    if (lag() === 0) return 0
    behindSinceMs ??= performance.now()
    return Math.floor((performance.now() - behindSinceMs) / 1000)
  }
  const reportLag = (): void => {
    const late = seconds()
    if (late < LAG_REPORTED_SECONDS) return
    isLate = true
    log.warn('The replica {target} is {blocks} blocks and {seconds} s behind', {
      target,
      blocks: lag(),
      seconds: late,
    })
  }
  const timer = setInterval(reportLag, LAG_REPORT_MS)
  timer.unref()

  return {
    opened: height =>
      log.info(
        height < 0
          ? 'Filling the replica {target} from the first block'
          : 'Filling the replica {target} from block {number} on',
        { target, number: height + 1 },
      ),
    behind: () => void (behindSinceMs ??= performance.now()),
    working: () => {
      if (reason !== undefined) log.info('The replica {target} takes blocks again', { target })
      reason = undefined
    },
    caughtUp: () => {
      if (isLate) log.info('The replica {target} has caught up', { target })
      isLate = false
      reason = undefined
      behindSinceMs = undefined
    },
    failed: (next, isFenced) => {
      if (next === reason) return
      reason = next
      if (isFenced)
        log.error('This node has stopped filling the replica {target}: {reason}', { target, reason })
      else
        log.warn(
          'The replica {target} gets no blocks: {reason}. The node retries; block production is not affected',
          {
            target,
            reason,
          },
        )
    },
    seconds,
    reason: () => reason,
    end: () => clearInterval(timer),
  }
}
