import type { Log } from '../log.ts'

/** Lines of one kind a minute: keys cost nothing to make, and each refused one could cost a line. */
const LINES_MAX = 20
const WINDOW_MS = 60_000

type Level = 'info' | 'warn' | 'error'

/** A log with at most LINES_MAX lines of one text a minute above the level debug; the suppressed ones are counted. */
export const rateLimitedLog = (log: Log, nowMs: () => number): Log => {
  /** By message text: their number is bounded by the calls in the sources. */
  const windows = new Map<string, { atMs: number; lines: number }>()

  const limited =
    (level: Level) =>
    (text: string, values?: Record<string, unknown>): void => {
      const now = nowMs()
      const known = windows.get(text)
      const isNew = known === undefined || now - known.atMs >= WINDOW_MS || now < known.atMs
      const window = isNew ? { atMs: now, lines: 0 } : known
      if (isNew) windows.set(text, window)
      window.lines++
      if (isNew && known !== undefined && known.lines > LINES_MAX)
        log[level]('{count} more lines like the following were suppressed', {
          count: known.lines - LINES_MAX,
        })
      if (window.lines <= LINES_MAX) log[level](text, values)
      else log.debug(text, values)
    }

  return {
    debug: (text, values) => log.debug(text, values),
    info: limited('info'),
    warn: limited('warn'),
    error: limited('error'),
  }
}
