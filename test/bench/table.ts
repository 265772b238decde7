import type { Row } from './measure.ts'

/** A table with a title, columns in the order in which rows first name them. */
export const tableText = (title: string, rows: readonly Row[]): string => {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row.values)))]
  const lines = [
    [title, ...columns],
    ...rows.map(row => [row.name, ...columns.map(name => row.values[name] ?? '')]),
  ]
  const widths = [title, ...columns].map((_, index) =>
    Math.max(...lines.map(line => (line[index] ?? '').length)),
  )
  return lines
    .map(line =>
      line
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
