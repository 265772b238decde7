import type { ComponentChildren } from 'preact'

export type Column<T> = {
  readonly name: string
  readonly cell: (row: T) => ComponentChildren
  /** Numbers stand at the right. */
  readonly isNumber?: boolean
  /** Left out on narrow screens. */
  readonly isOptional?: boolean
}

type TableProps<T> = {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly empty: string
}

const classOf = ({ isNumber = false, isOptional = false }: Column<never>): string =>
  `${isNumber ? 'number' : ''} ${isOptional ? 'optional' : ''}`

export const Table = <T,>({ label, columns, rows, keyOf, empty }: TableProps<T>) =>
  rows.length === 0 ? (
    <p class="notice">{empty}</p>
  ) : (
    // Scrolls by itself on narrow screens; a keyboard reaches it.
    <div class="scroll" role="region" aria-label={`Table: ${label}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)}>
              {columns.map(column => (
                <td key={column.name} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
