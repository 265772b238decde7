import type { CommandContext } from '../../cli/command.ts'
import { NODE_OPTIONS } from '../../cli/nodeOptions.ts'
import { hideUrlSecrets } from '../../text/shownUrl.ts'

type Context = CommandContext<typeof NODE_OPTIONS>

/** Options whose values are secrets. */
const SECRETS: ReadonlySet<string> = new Set(['rpc-ws-ssl-keystore-password'])

type Value = string | number | bigint | boolean | readonly string[] | undefined

const textOf = (name: string, value: Value): string => {
  if (value === undefined) return ''
  if (SECRETS.has(name)) return '***'
  return hideUrlSecrets(typeof value === 'object' ? value.join(',') : String(value))
}

/** Prints each option with its value and where that came from. */
export const showConfig = async ({ options, sources, accepted, terminal }: Context): Promise<number> => {
  const rows = Object.entries(NODE_OPTIONS).map(([key, { name, shownDefault }]) => {
    const value = textOf(name, options[key as keyof typeof options])
    const source = sources.get(name)
    return [name, source === undefined && value === '' ? shownDefault : value, source ?? 'default'] as const
  })
  const nameWidth = Math.max(...rows.map(([name]) => name.length))
  const valueWidth = Math.min(60, Math.max(...rows.map(([, value]) => value.length)))
  for (const [name, value, source] of rows)
    terminal.out(`${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${source}`)
  for (const { shown, value, meaning } of accepted)
    terminal.out(`${shown}=${value} has no effect: ${meaning}`)
  return 0
}
