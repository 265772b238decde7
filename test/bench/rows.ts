import { errorText } from '../../core/text/errorText.ts'
import type { MeasureRow, Row } from './measure.ts'

/** One line: the name, then each column with its value, or why there are none. */
export const rowText = ({ name, values, failure }: Row): string => {
  const columns = Object.entries(values).filter(([, value]) => value !== '')
  const parts = columns.map(([column, value]) => `${column.trim()} ${value}`)
  return `${name}: ${[...(failure === undefined ? [] : [`FAILED: ${failure}`]), ...parts].join(', ')}`
}

/** The rows of a group while it runs. */
export type GroupRows = {
  readonly measure: MeasureRow
  /** Those that are measured, in order. */
  readonly all: () => readonly Row[]
}

/** Collects the rows of a group. @param progress is told what is being measured, and each row as soon as it is */
export const createGroupRows = (progress: (text: string) => void): GroupRows => {
  const rows: Row[] = []
  const add = (row: Row): void => {
    rows.push(row)
    progress(rowText(row))
  }
  const measure: MeasureRow = async (what, run) => {
    progress(what)
    try {
      const measured = await run()
      for (const row of 'name' in measured ? [measured] : measured) add(row)
    } catch (error) {
      // The other rows do not depend on this one.
      add({ name: what, values: {}, failure: errorText(error) })
    }
  }
  return { measure, all: () => rows }
}
