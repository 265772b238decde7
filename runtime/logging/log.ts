import { configureSync, getLogger, type Logger, type LogRecord } from '@logtape/logtape'
import { escapeText } from '../../core/text/escapeText.ts'
import type { LogLevel } from '../../handlers/rpc/logLevels.ts'
import { hideUrlSecrets } from '../text/shownUrl.ts'

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

const messageOf = (record: LogRecord): string =>
  escapeText(hideUrlSecrets(record.message.map(textOf).join('')))

const jsonValue = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack }
  return value
}

/** One line of text: time, level, part, message. */
const plainLine = (record: LogRecord, colour: boolean): string => {
  const time = new Date(record.timestamp).toISOString().replace('T', ' ').replace('Z', '+00:00')
  const level = SHOWN[record.level].padEnd(5)
  const shown = colour ? `${COLOURS[record.level]}${level}\u001b[0m` : level
  const failure = record.properties['error']
  const stack = failure instanceof Error && !(typeof (failure as { code?: unknown }).code === 'string')
  // A stack begins with the message of the error, which may be foreign.
  const trace = stack ? ` | ${escapeText(hideUrlSecrets(failure.stack ?? ''))}` : ''
  return `${time} | ${shown} | ${record.category.slice(1).join('.')} | ${messageOf(record)}${trace}`
}

/** One JSON object a line, with every property of the record. JSON itself leaves some characters that terminals obey. */
const jsonLine = (record: LogRecord): string =>
  escapeText(
    hideUrlSecrets(
      JSON.stringify(
        {
          time: new Date(record.timestamp).toISOString(),
          level: SHOWN[record.level],
          part: record.category.slice(1).join('.'),
          message: messageOf(record),
          ...record.properties,
        },
        jsonValue,
      ),
    ),
  )

export type LogOptions = {
  readonly level: LogLevel
  readonly format: 'PLAIN' | 'JSON'
  readonly colour: boolean
  readonly write: (line: string) => void
}

/** The current configuration, and the levels of single parts by name. */
let configured: LogOptions | undefined
const levelOfPart = new Map<string, LogLevel>()

/** Maximum parts with their own level; further ones are ignored. */
const PARTS_MAX = 1_000

/** Configures the log of this process, before anything logs. */
export const configureLog = (options: LogOptions): void => {
  configured = options
  levelOfPart.clear()
  apply(options)
}

/** Changes the level of the named parts, such as `p2p`, or of the whole node if none is named. */
export const changeLogLevel = (level: LogLevel, parts: readonly string[]): void => {
  if (configured === undefined) return
  if (parts.length === 0) {
    configured = { ...configured, level }
    levelOfPart.clear()
  } else
    for (const part of parts) {
      const name = part.startsWith(`${ROOT}.`) ? part.slice(ROOT.length + 1) : part
      if (levelOfPart.size < PARTS_MAX || levelOfPart.has(name)) levelOfPart.set(name, level)
    }
  apply(configured)
}

const apply = ({ level, format, colour, write }: LogOptions): void => {
  const sink = (record: LogRecord): void =>
    write(format === 'JSON' ? jsonLine(record) : plainLine(record, colour))
  const at = (lowest: LogLevel) => ({
    sinks: LOWEST[lowest] === null ? [] : ['sink'],
    lowestLevel: LOWEST[lowest],
  })
  configureSync({
    reset: true,
    sinks: { sink },
    loggers: [
      { category: [ROOT], ...at(level) },
      ...[...levelOfPart].map(([part, own]) => ({
        category: [ROOT, part],
        parentSinks: 'override' as const,
        ...at(own),
      })),
      { category: ['logtape', 'meta'], sinks: ['sink'], lowestLevel: 'error' },
    ],
  })
}
