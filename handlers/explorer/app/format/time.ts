const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** How long ago, in one unit. */
export const formatAge = (ms: number): string => {
  if (ms < 0) return formatAge(-ms).replace(/ ago$/, '').replace(/^/, 'in ')
  if (ms < SECOND) return 'now'
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h ago`
  if (ms < 2 * YEAR) return `${Math.floor(ms / DAY)} days ago`
  return `${Math.floor(ms / YEAR)} years ago`
}

const two = (value: number): string => String(value).padStart(2, '0')

/** The largest time that a Date holds. */
const MS_MAX = 8_640_000_000_000_000n

/** Milliseconds of a time in seconds; undefined beyond the range of a Date. */
export const millisecondsOf = (seconds: bigint): number | undefined =>
  seconds * 1000n > MS_MAX ? undefined : Number(seconds) * SECOND

/** `2026-11-27 02:10:11` in the zone of the browser. */
export const formatLocal = (ms: number): string => {
  const date = new Date(ms)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

export const formatUtc = (ms: number): string =>
  `${new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`
