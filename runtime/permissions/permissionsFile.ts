import { stringify } from 'smol-toml'
import { parseToml, TomlProblem } from '../../handlers/toml/parseToml.ts'
import { EnodeError, parseEnode } from '../../p2p/transport/enode.ts'
import { CommandError } from '../cli/errors.ts'
import { readFailureReason, readTextUpTo } from '../cli/readUpTo.ts'
import { writeFileAtomically } from '../files/atomic.ts'

/** Ten thousand accounts and as many nodes fit; a longer file is another one. */
const FILE_BYTES_MAX = 8 * 1024 * 1024

export const ACCOUNTS_KEY = 'accounts-allowlist'
export const NODES_KEY = 'nodes-allowlist'

/** Content of a permissions file; undefined for a missing list. */
export type PermissionsFile = {
  /** Lower case. */
  readonly accounts: readonly string[] | undefined
  readonly nodes: readonly string[] | undefined
}

const invalid = (path: string, reason: string): CommandError =>
  new CommandError('PERMISSIONS', `The permissions file ${path} cannot be used: ${reason}`)

const listIn = (
  path: string,
  document: Record<string, unknown>,
  key: string,
): readonly string[] | undefined => {
  const value = document[key]
  if (value === undefined) return undefined
  if (!Array.isArray(value) || !value.every(entry => typeof entry === 'string'))
    throw invalid(path, `${key} must be an array of strings`)
  return value
}

/** An address with or without its prefix, in lower case; undefined if invalid. */
export const accountOf = (text: string): string | undefined =>
  /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : undefined

export const isEnode = (text: string): boolean => {
  try {
    parseEnode(text)
    return true
  } catch (error) {
    if (error instanceof EnodeError) return false
    throw error
  }
}

const checkedAccounts = (path: string, entries: readonly string[]): readonly string[] =>
  entries.map(entry => {
    const account = accountOf(entry)
    if (account === undefined)
      throw invalid(path, `invalid account ${entry.slice(0, 100)} in ${ACCOUNTS_KEY}`)
    return account
  })

const checkedNodes = (path: string, entries: readonly string[]): readonly string[] => {
  const wrong = entries.find(entry => !isEnode(entry))
  if (wrong !== undefined) throw invalid(path, `invalid enode ${wrong.slice(0, 200)} in ${NODES_KEY}`)
  return entries
}

const readDocument = (path: string): Record<string, unknown> => {
  let text: string
  try {
    text = readTextUpTo(path, FILE_BYTES_MAX)
  } catch (cause) {
    throw invalid(path, readFailureReason(cause))
  }
  try {
    return parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlProblem)) throw error
    throw invalid(path, `it is not TOML: ${error.message}`)
  }
}

/** @throws CommandError that names the file and what is wrong in it */
export const readPermissions = (path: string): PermissionsFile => {
  const document = readDocument(path)
  const accounts = listIn(path, document, ACCOUNTS_KEY)
  const nodes = listIn(path, document, NODES_KEY)
  return {
    accounts: accounts === undefined ? undefined : checkedAccounts(path, accounts),
    nodes: nodes === undefined ? undefined : checkedNodes(path, nodes),
  }
}

/** The list of an enabled file. @throws CommandError that names the missing key */
export const requireList = (
  path: string,
  list: readonly string[] | undefined,
  key: string,
): readonly string[] => {
  if (list === undefined) throw invalid(path, `${key} config option missing in TOML config file ${path}`)
  return list
}

/** Replaces one list and keeps the other; the file is there entirely or as it was. */
export const writePermissions = (path: string, change: Partial<PermissionsFile>): void => {
  const { accounts, nodes } = { ...readPermissions(path), ...change }
  const document = {
    ...(accounts === undefined ? {} : { [ACCOUNTS_KEY]: [...accounts] }),
    ...(nodes === undefined ? {} : { [NODES_KEY]: [...nodes] }),
  }
  writeFileAtomically(path, stringify(document))
}
