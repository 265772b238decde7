/** A duration such as `1:02:03` or `2:03`. */
export const formatDuration = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const rest = `${Math.floor(seconds / 60) % 60}:${String(seconds % 60).padStart(2, '0')}`
  return seconds < 3600 ? rest : `${Math.floor(seconds / 3600)}:${rest.padStart(5, '0')}`
}

/** A rate per second: `1,234`, below 100 with one decimal. */
export const formatRate = (count: number, ms: number): string => {
  const rate = ms <= 0 ? 0 : (count * 1000) / ms
  return rate >= 100 ? Math.round(rate).toLocaleString('en-US') : rate.toFixed(1)
}
