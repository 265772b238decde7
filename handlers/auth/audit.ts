import { hasRequestTimers } from '../inbound/requestTimers.ts'

/** A refused request or login, for the audit log. */
export type Denial = {
  /** A user name from a verified token or the credentials file, or the reason why there is none. Never unverified input. */
  readonly who: string
  /** Method name, or `login`. */
  readonly what: string
  /** IP address of the client. */
  readonly from: string
}

/** Destination of the audit lines. */
export type AuditLog = {
  readonly denied: (denial: Denial) => void
  readonly loggedIn: (login: Pick<Denial, 'who' | 'from'>) => void
  /** Number of denials in the last minute that were counted but not logged. */
  readonly suppressed: (count: number) => void
}

export type Audit = Pick<AuditLog, 'denied' | 'loggedIn'>

/** Log lines per minute for one address and for all addresses, so that denials cannot fill a disk. The rest is counted. */
export const DENIALS_OF_ADDRESS_MAX = 1_000
export const DENIALS_MAX = 5_000
const WINDOW_MS = 60_000

/** The clock of the limits. */
export type AuditClock = {
  readonly nowMs: () => number
  /** False where a timer must not serve several requests: a minute then ends with the first denial after it. */
  readonly hasTimers: boolean
}

const clockOfHost = (): AuditClock => ({ nowMs: () => performance.now(), hasTimers: !hasRequestTimers() })

/** Logs one line per denial, within the limits above. */
export const createAudit = (log: AuditLog, { nowMs, hasTimers }: AuditClock = clockOfHost()): Audit => {
  const byAddress = new Map<string, number>()
  let loggedCount = 0
  let suppressedCount = 0
  let window: ReturnType<typeof setTimeout> | undefined
  let windowEndMs = 0

  const close = (): void => {
    if (suppressedCount > 0) log.suppressed(suppressedCount)
    byAddress.clear()
    loggedCount = 0
    suppressedCount = 0
    window = undefined
  }

  /** Opens a window unless one is open: a timer closes it, or the next denial after its end. */
  const open = (): void => {
    if (!hasTimers) {
      if (nowMs() >= windowEndMs) {
        close()
        windowEndMs = nowMs() + WINDOW_MS
      }
      return
    }
    if (window !== undefined) return
    window = setTimeout(close, WINDOW_MS)
    // The timer must not keep the process alive. Browsers' timers are numbers and have no unref.
    if (typeof window === 'object') window.unref()
  }

  return {
    loggedIn: log.loggedIn,
    denied: denial => {
      open()
      const count = byAddress.get(denial.from) ?? 0
      if (loggedCount >= DENIALS_MAX || count >= DENIALS_OF_ADDRESS_MAX) {
        suppressedCount++
        return
      }
      loggedCount++
      byAddress.set(denial.from, count + 1)
      log.denied(denial)
    },
  }
}
