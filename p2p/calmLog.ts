import type { NetworkLog } from './network.ts'

/** Lines of one kind in a minute; keys cost nothing, and each could be refused, or dropped, with a line. */
const LINES_MAX = 20
const WINDOW_MS = 60_000

type Level = 'info' | 'warn' | 'error'

/** The log, of which nobody fills more than some lines a minute by being refused again and again; the rest is counted. */
export const calmLog = (log: NetworkLog, nowMs: () => number): NetworkLog => {
  /** By text, of which there are as many as calls in the sources. */
  const windows = new Map<string, { atMs: number; lines: number }>()

  const calm =
    (level: Level) =>
    (text: string, values?: Record<string, unknown>): void => {
      const now = nowMs()
      const known = windows.get(text)
      const isNew = known === undefined || now - known.atMs >= WINDOW_MS || now < known.atMs
      const window = isNew ? { atMs: now, lines: 0 } : known
      if (isNew) windows.set(text, window)
      window.lines++
      if (isNew && known !== undefined && known.lines > LINES_MAX)
        log[level]('{count} more lines like the following were left out', { count: known.lines - LINES_MAX })
      if (window.lines <= LINES_MAX) log[level](text, values)
      else log.debug(text, values)
    }

  return {
    debug: (text, values) => log.debug(text, values),
    info: calm('info'),
    warn: calm('warn'),
    error: calm('error'),
  }
}
