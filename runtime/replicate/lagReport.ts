import { LAG_REPORT_MS, LAG_REPORTED_SECONDS, SILENCE_CHECK_MS, SILENCE_SECONDS } from './limits.ts'

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
  /** Why the replica receives no blocks: the last failure, or that the store is silent; undefined while it receives them. */
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
  /** Whole seconds since the store was sent the oldest request that it has not answered; 0 without one. */
  readonly silentSeconds: () => number
  readonly log: ReplicaLog
}

/** Logs that the store is silent: once while it is, and at most once in LAG_REPORT_MS, because a slow store is silent often. */
const createSilenceReport = ({ target, silentSeconds, log }: LagReportOptions) => {
  let isReported = false
  let reportedMs = -Infinity
  const reason = (): string | undefined => {
    const silent = silentSeconds()
    return silent < SILENCE_SECONDS ? undefined : `no answer from the store for ${silent} s`
  }
  return {
    reason,
    report: (): void => {
      const text = reason()
      if (text === undefined || isReported || performance.now() - reportedMs < LAG_REPORT_MS) return
      isReported = true
      reportedMs = performance.now()
      log.warn(
        'The replica {target} gets no blocks: {reason}. The node waits for it; block production is not affected',
        { target, reason: text },
      )
    },
    /** True where it was reported since the last end. */
    end: (): boolean => {
      const wasReported = isReported
      isReported = false
      return wasReported
    },
  }
}

export const createLagReport = (options: LagReportOptions): LagReport => {
  const { target, lag, log } = options
  let behindSinceMs: number | undefined
  let reason: string | undefined
  let isLate = false
  const silence = createSilenceReport(options)

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
  const timers = [
    setInterval(reportLag, LAG_REPORT_MS),
    setInterval(() => {
      if (reason === undefined) silence.report()
    }, SILENCE_CHECK_MS),
  ]
  for (const timer of timers) timer.unref()

  const working = (): void => {
    const wasSilent = silence.end()
    if (reason !== undefined || wasSilent) log.info('The replica {target} takes blocks again', { target })
    reason = undefined
  }

  return {
    opened: height =>
      log.info(
        height < 0
          ? 'Filling the replica {target} from the first block'
          : 'Filling the replica {target} from block {number} on',
        { target, number: height + 1 },
      ),
    behind: () => void (behindSinceMs ??= performance.now()),
    working,
    caughtUp: () => {
      working()
      if (isLate) log.info('The replica {target} has caught up', { target })
      isLate = false
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
    reason: () => reason ?? silence.reason(),
    end: () => {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
