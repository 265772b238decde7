import type { JsonObject } from '../../../core/json.ts'
import { isTable, parseToml, TomlProblem } from '../../toml/parseToml.ts'

/** A user who may log in. */
export type User = {
  /** As written in the file, including dots. */
  readonly name: string
  /** As written in the file; checked at login to be a supported hash. */
  readonly passwordHash: string
  readonly permissions: readonly string[]
  /** Copied into the token and otherwise unused, as in Besu. */
  readonly privacyPublicKey: string | undefined
}

/** The users of a credentials file. */
export type Credentials = {
  readonly users: readonly User[]
  /** Undefined for an unknown user. */
  readonly find: (name: string) => User | undefined
}

/** An invalid credentials file, with Besu's text; the caller adds path and port. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
  readonly code: 'MALFORMED' | 'WITHOUT_PASSWORD' | 'INVALID_VALUES'
  constructor(code: CredentialsError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const NO_PASSWORD = 'RPC user specified without password.'
const INVALID_VALUES = 'RPC authentication configuration file contains invalid values.'

/** Deepest nesting of tables; the TOML parser has no limit of its own. */
const DEPTH_MAX = 16

/** Longest user name that is looked up. */
export const USERNAME_LENGTH_MAX = 256

const isTextArray = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(entry => typeof entry === 'string')

const own = (table: JsonObject, key: string): unknown => (Object.hasOwn(table, key) ? table[key] : undefined)

/** Besu's rules for values, except that `permissions = []` is valid and grants nothing. */
const checkValues = (table: JsonObject, depth = 0): void => {
  const { groups, roles, permissions, privacyPublicKey } = table
  const isList = (value: unknown, lengthMin: number): boolean =>
    value === undefined || isTable(value) || (isTextArray(value) && value.length >= lengthMin)
  if (
    depth > DEPTH_MAX ||
    !isList(groups, 1) ||
    !isList(roles, 1) ||
    !isList(permissions, 0) ||
    (typeof privacyPublicKey === 'string' && privacyPublicKey.trim() === '')
  )
    throw new CredentialsError('INVALID_VALUES', INVALID_VALUES)
  for (const value of Object.values(table)) if (isTable(value)) checkValues(value, depth + 1)
}

const passwordOf = (table: JsonObject): string | undefined => {
  const password = own(table, 'password')
  return typeof password === 'string' && password !== '' ? password : undefined
}

/** Tests whether the table or a nested one (a user name with dots) has a password. */
const hasUser = (table: JsonObject): boolean =>
  passwordOf(table) !== undefined || Object.values(table).some(value => isTable(value) && hasUser(value))

const userOf = (name: string, table: JsonObject): User | undefined => {
  const passwordHash = passwordOf(table)
  const permissions = own(table, 'permissions')
  const privacyPublicKey = own(table, 'privacyPublicKey')
  return passwordHash === undefined
    ? undefined
    : {
        name,
        passwordHash,
        permissions: isTextArray(permissions) ? permissions : [],
        privacyPublicKey: typeof privacyPublicKey === 'string' ? privacyPublicKey : undefined,
      }
}

/** Every table with a password, named by its path. */
const usersBelow = (prefix: string, table: JsonObject): readonly User[] =>
  Object.entries(table).flatMap(([key, value]) => {
    if (!isTable(value)) return []
    const name = `${prefix}${key}`
    const user = userOf(name, value)
    return [...(user === undefined ? [] : [user]), ...usersBelow(`${name}.`, value)]
  })

const documentOf = (text: string): JsonObject => {
  try {
    return parseToml(text)
  } catch (cause) {
    if (!(cause instanceof TomlProblem)) throw cause
    throw new CredentialsError('MALFORMED', cause.message)
  }
}

/**
 * Reads a credentials file: `[Users.<name>]` with `password` (a bcrypt hash) and `permissions`; `groups` and `roles` are
 * allowed and grant nothing. A name with dots is a path of nested tables, as in Besu.
 * @throws CredentialsError where Besu refuses to start
 */
export const parseCredentials = (text: string): Credentials => {
  const document = documentOf(text)
  if (Object.keys(document).length === 0)
    throw new CredentialsError('MALFORMED', 'the file is empty, it needs a [Users.<name>] table')
  const tables = own(document, 'Users')
  if (!isTable(tables)) throw new CredentialsError('MALFORMED', 'it has no [Users.<name>] table')
  checkValues(document)
  if (!Object.values(tables).every(value => isTable(value) && hasUser(value)))
    throw new CredentialsError('WITHOUT_PASSWORD', NO_PASSWORD)
  const users = usersBelow('', tables)
  // The first one wins where both the quoted name "a.b" and the nested table a.b exist.
  const byName = new Map(users.toReversed().map(user => [user.name, user]))
  return { users, find: name => byName.get(name) }
}
