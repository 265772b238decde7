import { InvalidValue, type Option, type OptionTable } from '../cli/option.ts'
import { decideBesuOption } from '../cli/besu/besuOptions.ts'

/** The migration of one Besu option. */
export type OptionMapping =
  /** The node has it, with the same meaning. */
  | { readonly kind: 'kept'; readonly option: Option }
  /** The node has it, and takes the values `kept` of the list, joined by commas, but not the others. */
  | {
      readonly kind: 'partly'
      readonly option: Option
      readonly kept: string
      readonly reason: string
    }
  /** The node accepts it, and it changes nothing: `meaning` says what the node does. */
  | { readonly kind: 'unneeded'; readonly meaning: string }
  /** The node refuses it. */
  | { readonly kind: 'refused'; readonly reason: string }

export type MigratedOption = {
  readonly name: string
  readonly value: string
  readonly mapping: OptionMapping
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))

const optionOf = (table: OptionTable, name: string): Option | undefined =>
  Object.values(table).find(option => option.name === name || option.aliases.includes(name))

const accepts = (option: Option, value: string): boolean => {
  try {
    option.parse(value)
    return true
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    return false
  }
}

/** @returns undefined where the node takes no value of a list, or the option is none */
const partlyKept = (option: Option, value: string, reason: string): OptionMapping | undefined => {
  if (option.kind !== 'list') return undefined
  const entries = value.split(',').map(entry => entry.trim())
  const kept = entries.filter(entry => accepts(option, entry))
  if (kept.length === 0 || !accepts(option, kept.join(','))) return undefined
  return { kind: 'partly', option, kept: kept.join(','), reason }
}

const keptOrRefused = (option: Option, value: string): OptionMapping => {
  try {
    option.parse(value)
    return { kind: 'kept', option }
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    const { message } = error
    return (
      partlyKept(option, value, message.replace(/^: /, '')) ?? {
        kind: 'refused',
        reason: `its value is not accepted${message}`,
      }
    )
  }
}

const mappingOf = (table: OptionTable, name: string, value: string): OptionMapping => {
  const option = optionOf(table, name)
  if (option !== undefined) return keptOrRefused(option, value)
  const decision = decideBesuOption(name, value)
  if (decision === undefined) return { kind: 'refused', reason: 'this node does not know it' }
  return decision.kind === 'accepted'
    ? { kind: 'unneeded', meaning: decision.meaning }
    : { kind: 'refused', reason: decision.reason }
}

/** Migrates the entries of a Besu configuration file. `locate` makes the relative paths of files absolute. */
export const classifyOptions = (
  table: OptionTable,
  entries: readonly (readonly [name: string, value: unknown])[],
  locate: (path: string) => string,
): readonly MigratedOption[] =>
  entries.map(([name, given]) => {
    const isPath = optionOf(table, name)?.placeholder === '<PATH>'
    const value = isPath ? locate(textOf(given)) : textOf(given)
    return { name, value, mapping: mappingOf(table, name, value) }
  })
