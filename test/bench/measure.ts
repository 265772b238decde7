/** One line of the table. */
export type Row = {
  readonly name: string
  readonly values: Readonly<Record<string, string>>
  /** Why it was not measured. */
  readonly failure?: string
}

/** Measures one or some rows, which are told at once; a failure becomes a row, and the rows after it are measured. */
export type MeasureRow = (what: string, run: () => Promise<Row | readonly Row[]>) => Promise<void>

export type BenchOptions = {
  /** Fewer windows and smaller states: for a look, not for figures. */
  readonly quick: boolean
  /** States and chains of the largest sizes: an hour or more, and some 10 GB of disk. */
  readonly full: boolean
  /** Says what is being prepared or measured. */
  readonly progress: (text: string) => void
  readonly row: MeasureRow
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** Milliseconds that `run` takes: the median of `windows` runs after `warmups` that do not count. */
export const medianMs = async (
  run: () => unknown,
  { warmups, windows }: { readonly warmups: number; readonly windows: number },
): Promise<number> => {
  const times: number[] = []
  for (let i = 0; i < warmups + windows; i++) {
    const start = performance.now()
    await run()
    if (i >= warmups) times.push(performance.now() - start)
  }
  return median(times)
}

export const msText = (ms: number): string => (ms < 10 ? ms.toFixed(2) : ms.toFixed(1))

/** How many times as fast: `ours` against `other`, both in milliseconds. */
export const timesText = (other: number, ours: number): string => {
  const times = other / ours
  return times >= 100 ? `${times.toFixed(0)}x` : times >= 10 ? `${times.toFixed(1)}x` : `${times.toFixed(2)}x`
}
