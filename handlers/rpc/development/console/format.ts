import type { ConsoleValue } from './decode.ts'

const PLACEHOLDER = /%[sdioOx%]/g

const textOf = (value: ConsoleValue, placeholder: string): string =>
  placeholder === '%x' && typeof value === 'bigint' ? `0x${value.toString(16)}` : String(value)

/**
 * The line of a console call: a first string may have the placeholders %s, %d, %i, %o, %O and %x, which the next arguments
 * replace, and %% for a percent sign; all other arguments follow, separated by spaces.
 */
export const formatConsoleLine = (values: readonly ConsoleValue[]): string => {
  const [first, ...rest] = values
  if (typeof first !== 'string' || rest.length === 0) return values.map(String).join(' ')
  let used = 0
  const text = first.replace(PLACEHOLDER, placeholder => {
    if (placeholder === '%%') return '%'
    const value = rest[used]
    if (value === undefined) return placeholder
    used++
    return textOf(value, placeholder)
  })
  return [text, ...rest.slice(used).map(String)].join(' ')
}
