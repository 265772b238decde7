import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { CredentialsError, parseCredentials } from '../../../../handlers/auth/login/credentials.ts'

const HASH = '$2a$10$l3GA7K8g6rJ/Yv.YFSygCuI9byngpEzxgWS9qEg5emYDZomQW7fGC'

const refusal = (text: string): readonly [code: string, message: string] => {
  try {
    parseCredentials(text)
  } catch (error) {
    if (error instanceof CredentialsError) return [error.code, error.message]
    throw error
  }
  return ['', '']
}

const user = (name: string, more = ''): string => `[Users.${name}]\npassword = "${HASH}"\n${more}\n`

describe('given a credentials file', () => {
  test('then groups and roles are allowed and grant nothing', () => {
    const { users } = parseCredentials(
      `${user('a', 'groups = ["admin"]\nroles = ["net"]\npermissions = ["eth:*"]\nprivacyPublicKey = "A1a="')}
       [Groups.admin]\nroles = ["admin"]\n[Roles.admin]\npermissions = ["admin:*"]`,
    )
    expect(users).toEqual([
      { name: 'a', passwordHash: HASH, permissions: ['eth:*'], privacyPublicKey: 'A1a=' },
    ])
  })

  test('then permissions may be empty or missing, which grants nothing', () => {
    for (const more of ['permissions = []', ''])
      expect(parseCredentials(user('a', more)).find('a')?.permissions).toEqual([])
  })

  test('then a name with dots is a path of tables, or quoted', () => {
    const { find, users } = parseCredentials(
      `${user('a.b', 'permissions = ["net:*"]')}${user('"c.d"')}${user('a.e')}`,
    )
    expect(users.map(({ name }) => name)).toEqual(['a.b', 'a.e', 'c.d'])
    expect(find('a.b')?.permissions).toEqual(['net:*'])
    expect(find('c.d')).toBeDefined()
    expect(find('a')).toBeUndefined()
    expect(find('a.b.password')).toBeUndefined()
  })

  test('then names of every object are unknown users', () => {
    const { find } = parseCredentials(user('a'))
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'a.constructor',
      'hasOwnProperty',
      '',
      '.',
      'A',
    ])
      expect(find(name)).toBeUndefined()
  })

  const wrong: readonly (readonly [what: string, text: string, code: string, message: string])[] = [
    [
      'without a password',
      '[Users.a]\npermissions = ["eth:*"]',
      'WITHOUT_PASSWORD',
      'RPC user specified without password.',
    ],
    [
      'with an empty password',
      '[Users.a]\npassword = ""',
      'WITHOUT_PASSWORD',
      'RPC user specified without password.',
    ],
    [
      'with a number as password',
      '[Users.a]\npassword = 1',
      'WITHOUT_PASSWORD',
      'RPC user specified without password.',
    ],
    ['that is no table', `[Users]\na = "x"`, 'WITHOUT_PASSWORD', 'RPC user specified without password.'],
    ...[
      'groups = []',
      'roles = []',
      'groups = "x"',
      'permissions = "eth:*"',
      'permissions = [1]',
      'permissions = ""',
      'privacyPublicKey = ""',
    ].map(
      line =>
        [
          `with ${line}`,
          user('a', line),
          'INVALID_VALUES',
          'RPC authentication configuration file contains invalid values.',
        ] as const,
    ),
  ]
  test.each(wrong)('when there is a user %s, then Besu’s text says so', (_, text, code, message) => {
    expect(refusal(text)).toEqual([code, message])
  })

  test.each([
    ['empty', ''],
    ['no TOML', '{Users.a}\npassword = "x"'],
    ['two tables of one name', user('a') + user('a')],
    ['without users', '[Groups.a]\nroles = ["x"]'],
  ])('when it is %s, then it is malformed', (_, text) => {
    expect(refusal(text)[0]).toBe('MALFORMED')
  })

  test('when it is malformed, then the message does not quote its lines', () => {
    const [, message] = refusal(`[Users.a]\npassword = "${HASH}" oops\n`)
    expect(message).toContain('line 2')
    expect(message).not.toContain('l3GA7K8g6rJ')
  })

  test('then any text is read or refused, and nothing else is thrown', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '[Users.a]',
        '[Users]',
        `password = "${HASH}"`,
        'permissions = []',
        '[Users.a.b.c]',
        '=',
        '[[Users]]',
      ),
      fc.string({ maxLength: 10 }),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), lines => {
        refusal(lines.join('\n'))
      }),
      { numRuns: 1_000 },
    )
  })
})
