import type { Row } from './measure.ts'

/** A table with a title, columns in the order in which rows first name them. A row that was not measured says why. */
export const tableText = (title: string, rows: readonly Row[]): string => {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row.values)))]
  const lines = [
    { cells: [title, ...columns], failure: undefined },
    ...rows.map(({ name, values, failure }) => ({
      cells: [name, ...columns.map(column => values[column] ?? '')],
      failure,
    })),
  ]
  const widths = [title, ...columns].map((_, index) =>
    Math.max(...lines.map(({ cells }) => (cells[index] ?? '').length)),
  )
  const pad = (cell: string, index: number): string =>
    index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)
  return lines
    .map(({ cells, failure }) =>
      failure === undefined
        ? cells.map(pad).join('  ').trimEnd()
        : `${pad(cells[0] as string, 0)}  FAILED: ${failure}`,
    )
    .join('\n')
}
