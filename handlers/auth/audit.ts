/** Something that was refused, for whoever must be able to tell later who tried what. */
export type Denial = {
  /** A user name that a token or the credentials file vouches for, or why there is none. Never what a stranger typed. */
  readonly who: string
  /** A method, or `login`. */
  readonly what: string
  /** An IP address. */
  readonly from: string
}

/** Where the lines go. */
export type AuditLog = {
  readonly denied: (denial: Denial) => void
  readonly loggedIn: (login: Pick<Denial, 'who' | 'from'>) => void
  /** So many denials of the last minute had no line of their own. */
  readonly unlisted: (count: number) => void
}

export type Audit = Pick<AuditLog, 'denied' | 'loggedIn'>

/** Nobody fills a disk with denials: lines a minute from one address, and from all. The rest is counted. */
export const DENIALS_OF_ADDRESS_MAX = 1_000
export const DENIALS_MAX = 5_000
const WINDOW_MS = 60_000

/** One line a denial, within bounds. */
export const createAudit = (log: AuditLog): Audit => {
  const byAddress = new Map<string, number>()
  let listed = 0
  let unlisted = 0
  let window: ReturnType<typeof setTimeout> | undefined

  const close = (): void => {
    if (unlisted > 0) log.unlisted(unlisted)
    byAddress.clear()
    listed = 0
    unlisted = 0
    window = undefined
  }

  return {
    loggedIn: log.loggedIn,
    denied: denial => {
      if (window === undefined) {
        window = setTimeout(close, WINDOW_MS)
        // It must not keep a process alive; browsers' timers are numbers and keep nothing.
        if (typeof window === 'object') window.unref()
      }
      const count = byAddress.get(denial.from) ?? 0
      if (listed >= DENIALS_MAX || count >= DENIALS_OF_ADDRESS_MAX) {
        unlisted++
        return
      }
      listed++
      byAddress.set(denial.from, count + 1)
      log.denied(denial)
    },
  }
}
