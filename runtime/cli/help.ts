import type { Command } from './command.ts'
import { GROUPS, type Option } from './option.ts'
import { PROGRAM } from './program.ts'

const NAME_COLUMN = 44
const WIDTH_MIN = 60

const wrap = (text: string, width: number, indent: string): string => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines.join(`\n${indent}`)
}

const optionLines = (option: Option, columns: number): string => {
  const names = [...(option.short === undefined ? [] : [`-${option.short}`]), `--${option.name}`]
  const value = option.kind === 'boolean' ? '[=true|false]' : `=${option.placeholder}`
  const head = `  ${names.join(', ')}${value}`
  const also = option.aliases.length === 0 ? '' : ` (also --${option.aliases.join(', --')})`
  const fallback = option.shownDefault === '' ? '' : ` [default: ${option.shownDefault}]`
  const indent = ' '.repeat(NAME_COLUMN)
  const text = wrap(
    `${option.description}${also}${fallback}`,
    Math.max(columns, WIDTH_MIN) - NAME_COLUMN,
    indent,
  )
  return head.length < NAME_COLUMN - 1 ? `${head.padEnd(NAME_COLUMN)}${text}` : `${head}\n${indent}${text}`
}

const usage = (command: Command, commands: readonly Command[]): string =>
  [PROGRAM, command.name, '[OPTIONS]', command.arguments, commands.length > 0 ? '[COMMAND]' : '']
    .filter(part => part !== '')
    .join(' ')

const commandList = (commands: readonly Command[], columns: number): string => {
  const indent = ' '.repeat(NAME_COLUMN)
  const rows = commands.map(
    ({ name, summary }) =>
      `  ${name.padEnd(NAME_COLUMN - 2)}${wrap(summary, Math.max(columns, WIDTH_MIN) - NAME_COLUMN, indent)}`,
  )
  return ['Commands:', ...rows].join('\n')
}

/** The help of the commands whose names begin with one word. */
export const familyHelp = (word: string, commands: readonly Command[], columns: number): string =>
  [
    `Usage: ${PROGRAM} ${word} COMMAND [OPTIONS]`,
    commandList(commands, columns),
    `The options of one of them: ${PROGRAM} ${(commands[0] as Command).name} --help`,
  ].join('\n\n')

/** The help of one command; for the node, with `commands`, also the list of commands. */
export const helpText = (command: Command, commands: readonly Command[], columns: number): string => {
  const sections = [`Usage: ${usage(command, commands)}`, `${command.summary}.`]
  for (const group of GROUPS) {
    const options = Object.values(command.options).filter(option => option.group === group)
    if (options.length > 0)
      sections.push([`${group}:`, ...options.map(option => optionLines(option, columns))].join('\n'))
  }
  if (commands.length > 0) {
    sections.push(commandList(commands, columns))
    sections.push(
      wrap(
        'Every option can also be given as an environment variable (QUORATE_RPC_HTTP_PORT, or BESU_RPC_HTTP_PORT) and in a ' +
          'TOML file (--config-file). The command line comes first, then QUORATE_*, BESU_*, the file, the default.',
        Math.max(columns, WIDTH_MIN),
        '',
      ),
    )
  }
  const examples = command.examples.map(example =>
    ['  ', PROGRAM, command.name, example]
      .filter(part => part !== '')
      .join(' ')
      .replace(/^ {3}/, '  '),
  )
  sections.push(['Examples:', ...examples].join('\n'))
  return sections.join('\n\n')
}
