import { setBounded } from '../../core/collections/boundedMap.ts'

/** Time for which refusals are reported. */
const WINDOW_MS = 300_000

/** Reasons kept: a table of the pool has fewer. */
const REASONS_MAX = 64

export type Refusals = {
  note(reason: string): void
  /** Number of refusals in the last minutes by reason. */
  recent(): ReadonlyMap<string, number>
}

type Counted = { count: number; sinceMs: number }

/** Counts refused transactions by reason; counts begin anew when the window of a reason is over. */
export const createRefusals = (nowMs: () => number): Refusals => {
  const counts = new Map<string, Counted>()
  const isOver = ({ sinceMs }: Counted): boolean => nowMs() - sinceMs > WINDOW_MS || nowMs() < sinceMs
  return {
    note: reason => {
      const counted = counts.get(reason)
      if (counted !== undefined && !isOver(counted)) {
        counted.count++
        return
      }
      setBounded(counts, reason, { count: 1, sinceMs: nowMs() }, REASONS_MAX)
    },
    recent: () =>
      new Map(
        [...counts].flatMap(([reason, counted]) =>
          isOver(counted) ? [] : [[reason, counted.count] as const],
        ),
      ),
  }
}
