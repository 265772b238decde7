/** Most different values that are logged: any client chooses them. */
const LOGGED_MAX = 64

/** Longest part of a value in the log. */
const LENGTH_MAX = 200

/** Logs the first refusal of each value. @param value as the client sent it */
export type LogRefusal = (value: string) => void

/** @param text names what was refused and the option that would allow it; `value` is escaped */
export const createRefusalLog = (
  warn: (text: string) => void,
  text: (value: string) => string,
): LogRefusal => {
  const logged = new Set<string>()
  return value => {
    const shown = JSON.stringify(value.slice(0, LENGTH_MAX))
    if (logged.size >= LOGGED_MAX || logged.has(shown)) return
    logged.add(shown)
    warn(text(shown))
  }
}
