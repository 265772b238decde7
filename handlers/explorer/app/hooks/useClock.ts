import { useEffect, useState } from 'preact/hooks'

/** Milliseconds since 1970, renewed at each interval. */
export const useClock = (intervalMs: number): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return now
}
