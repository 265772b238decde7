import { stdout } from 'node:process'
import { configureSync, getLogger, type Logger, type LogRecord } from '@logtape/logtape'
import type { LogLevel } from './level.ts'

export type Log = Logger

/** The log of one part of the node, such as `chain` or `rpc`. */
export const logOf = (part: string): Log => getLogger([ROOT, part])

const ROOT = 'quorate'

const LOWEST = {
  OFF: null,
  ERROR: 'error',
  WARN: 'warning',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'trace',
  ALL: 'trace',
} as const satisfies Record<LogLevel, string | null>

const SHOWN = {
  trace: 'TRACE',
  debug: 'DEBUG',
  info: 'INFO',
  warning: 'WARN',
  error: 'ERROR',
  fatal: 'ERROR',
} as const satisfies Record<LogRecord['level'], LogLevel>

const COLOURS: Readonly<Record<LogRecord['level'], string>> = {
  trace: '\u001b[2m',
  debug: '\u001b[36m',
  info: '\u001b[32m',
  warning: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31m',
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (value instanceof Error) return value.message
  return JSON.stringify(value, jsonValue) ?? ''
}

/** Line ends and terminal sequences, in what others sent, would let them forge lines. */
const CONTROL_CHARACTERS = /\p{Cc}/gu

const escaped = (character: string): string =>
  character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const messageOf = (record: LogRecord): string =>
  record.message.map(textOf).join('').replace(CONTROL_CHARACTERS, escaped)

const jsonValue = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack }
  return value
}

/** One line for people: time, level, part, message. */
export const plainLine = (record: LogRecord, colour: boolean): string => {
  const time = new Date(record.timestamp).toISOString().replace('T', ' ').replace('Z', '+00:00')
  const level = SHOWN[record.level].padEnd(5)
  const shown = colour ? `${COLOURS[record.level]}${level}\u001b[0m` : level
  const failure = record.properties['error']
  const stack = failure instanceof Error && !(typeof (failure as { code?: unknown }).code === 'string')
  return `${time} | ${shown} | ${record.category.slice(1).join('.')} | ${messageOf(record)}${stack ? `\n${failure.stack}` : ''}`
}

/** One JSON object a line, with every property of the record. */
export const jsonLine = (record: LogRecord): string =>
  JSON.stringify(
    {
      time: new Date(record.timestamp).toISOString(),
      level: SHOWN[record.level],
      part: record.category.slice(1).join('.'),
      message: messageOf(record),
      ...record.properties,
    },
    jsonValue,
  )

const ignore = (): void => undefined

export type LogOptions = {
  readonly level: LogLevel
  readonly format: 'PLAIN' | 'JSON'
  readonly colour: boolean
  readonly write: (line: string) => void
}

/** Sets up the log of this process; called once, before anything logs. */
export const configureLog = ({ level, format, colour, write }: LogOptions): void => {
  // A reader that goes away (`| head`) must not stop a node.
  stdout.off('error', ignore).on('error', ignore)
  const sink = (record: LogRecord): void =>
    write(format === 'JSON' ? jsonLine(record) : plainLine(record, colour))
  configureSync({
    reset: true,
    sinks: { sink },
    loggers: [
      { category: [ROOT], sinks: LOWEST[level] === null ? [] : ['sink'], lowestLevel: LOWEST[level] },
      { category: ['logtape', 'meta'], sinks: ['sink'], lowestLevel: 'error' },
    ],
  })
}
