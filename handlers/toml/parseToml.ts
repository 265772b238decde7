import { parse, TomlError } from 'smol-toml'
import { isObject, type JsonObject } from '../../core/json.ts'

/** Tables within tables: a file of the node has two, and the name of a user may have some dots. */
const DEPTH_MAX = 32

/** Keys of all tables: an option each, or three for each of thousands of users. */
const KEYS_MAX = 20_000

/** The text is no TOML, or more than a file of configuration has. */
export class TomlProblem extends Error {
  override readonly name = 'TomlProblem'
  readonly code = 'INVALID_TOML'
}

/** A table, and not one of the library's dates. */
export const isTable = (value: unknown): value is JsonObject => isObject(value) && !(value instanceof Date)

/** Without recursion: dotted keys make the library nest tables as deep as a line is long. @throws TomlProblem */
const checkSize = (document: JsonObject): void => {
  let keys = 0
  let level: readonly unknown[] = [document]
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const value of level) {
      const children = Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value as object)
      if (!Array.isArray(value)) keys += children.length
      for (const child of children) if (Array.isArray(child) || isTable(child)) next.push(child)
    }
    if (keys > KEYS_MAX) throw new TomlProblem(`more than ${KEYS_MAX} keys`)
    if (depth > DEPTH_MAX) throw new TomlProblem(`tables nested deeper than ${DEPTH_MAX}`)
    level = next
  }
}

/**
 * Parses a file of configuration. The message of an error says what is wrong and where, and quotes nothing of the file.
 * @param options of the library. @throws TomlProblem
 */
export const parseToml = (text: string, options: Parameters<typeof parse>[1] = {}): JsonObject => {
  let document: JsonObject
  try {
    document = parse(text, options)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const reason = (cause.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    throw new TomlProblem(`${reason} (line ${cause.line}, column ${cause.column})`, { cause })
  }
  checkSize(document)
  return document
}
