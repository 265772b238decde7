import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { passwordMatches, dummyHash, passwordProblem } from '../../../../handlers/auth/login/password.ts'
import { hashOf, startLoginNode, userToml } from './loginNode.ts'

const INCORRECT = 'Authentication failed: the username or password is incorrect.'
const NOT_TEXT = 'Authentication failed: username and password must be strings.'
const MALFORMED = 'Authentication failed: the body must be a JSON object.'
const REQUIRED = 'Authentication failed: username and password are required.'

const USERS = userToml('alice', 'secret', ['eth:*', 'net:version']) + userToml('none', 'secret', [])

const decodeText = (part: string): string => Buffer.from(part, 'base64url').toString()

const outcome = async (response: Response): Promise<readonly [status: number, body: string]> => [
  response.status,
  await response.text(),
]

describe('given a right password', () => {
  test('then the answer is a token as Besu makes it', async () => {
    const node = await startLoginNode(USERS)
    const response = await node.login({ username: 'alice', password: 'secret' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const answer = (await response.json()) as { token: string }
    expect(Object.keys(answer)).toEqual(['token'])
    expect(decodeProtectedHeader(answer.token)).toEqual({ typ: 'JWT', alg: 'RS256' })
    expect(decodeJwt(answer.token)).toEqual({
      permissions: ['eth:*', 'net:version'],
      username: 'alice',
      iat: 1_700_000_000,
      exp: 1_700_000_300,
    })
    expect(node.logins).toEqual(['alice'])
    expect(node.denials).toEqual([])
  })

  test('then the token holds 300 seconds and not one more', async () => {
    const node = await startLoginNode(USERS)
    const token = await node.tokenOf('alice', 'secret')
    const ask = { id: 1, method: 'eth_accounts' }
    node.clockMs += 299_999
    expect((await node.post(ask, token)).status).toBe(200)
    node.clockMs += 1
    expect((await node.post(ask, token)).status).toBe(401)
  })

  test('then one of empty permissions is a token that grants nothing', async () => {
    const node = await startLoginNode(USERS)
    const token = await node.tokenOf('none', 'secret')
    expect((await node.post({ id: 1, method: 'eth_accounts' }, token)).status).toBe(401)
  })

  test('when its hash is of any of the three kinds, then it counts, and of another kind never', async () => {
    for (const [prefix, status] of [
      ['$2a$', 200],
      ['$2b$', 200],
      ['$2y$', 200],
      ['$2x$', 401],
      ['$2$', 401],
      ['$1$', 401],
    ] as const) {
      const node = await startLoginNode(`[Users.a]\npassword = "${hashOf('secret', prefix)}"`)
      expect((await node.login({ username: 'a', password: 'secret' })).status).toBe(status)
    }
    const plain = await startLoginNode('[Users.a]\npassword = "secret"')
    expect((await plain.login({ username: 'a', password: 'secret' })).status).toBe(401)
  })

  test('when the file changes, then the next login is by what it says', async () => {
    const node = await startLoginNode(USERS)
    const before = await node.tokenOf('alice', 'secret')
    node.credentials = userToml('alice', 'other', ['net:*'])
    expect((await node.login({ username: 'alice', password: 'secret' })).status).toBe(401)
    const after = await node.tokenOf('alice', 'other')
    const ask = { id: 1, method: 'eth_accounts' }
    expect((await node.post(ask, before)).status).toBe(200)
    expect((await node.post(ask, after)).status).toBe(401)
    node.credentials = 'no TOML ['
    expect(await outcome(await node.login({ username: 'alice', password: 'other' }))).toEqual([
      401,
      INCORRECT,
    ])
    expect(node.reported).toEqual(['The credentials file'])
  })

  test('then a node with a key of its own does not take the token', async () => {
    const [one, other] = [
      await startLoginNode(USERS, { ownKey: true }),
      await startLoginNode(USERS, { ownKey: true }),
    ]
    const token = await one.tokenOf('alice', 'secret')
    expect((await one.post({ id: 1, method: 'eth_accounts' }, token)).status).toBe(200)
    expect((await other.post({ id: 1, method: 'eth_accounts' }, token)).status).toBe(401)
  })
})

describe('given a token that was taken', () => {
  test('then its signature under other permissions is refused', async () => {
    const node = await startLoginNode(USERS)
    const token = await node.tokenOf('none', 'secret')
    expect((await node.post({ id: 1, method: 'eth_accounts' }, token)).status).toBe(401)
    const [header, , signature] = token.split('.')
    const payload = Buffer.from(
      JSON.stringify({ permissions: ['*:*'], username: 'none', exp: 1_700_000_300 }),
    ).toString('base64url')
    expect(
      (await node.post({ id: 1, method: 'eth_accounts' }, `${header}.${payload}.${signature}`)).status,
    ).toBe(401)
    // As long as the one that is remembered.
    const same = Buffer.from(decodeText(token.split('.')[1] as string).replace('"none"', '"root"')).toString(
      'base64url',
    )
    expect(same.length).toBe((token.split('.')[1] as string).length)
    const forged = `${header}.${same}.${signature}`
    await node.post({ id: 1, method: 'eth_accounts' }, forged)
    expect(node.denials.at(-1)?.who).toBe('nobody (the signature of the token is invalid)')
  })
})

describe('given a login that fails', () => {
  const table: readonly (readonly [what: string, body: unknown, status: number, text: string])[] = [
    ['an unknown user', { username: 'bob', password: 'secret' }, 401, INCORRECT],
    ['a wrong password', { username: 'alice', password: 'Secret' }, 401, INCORRECT],
    ['an empty password', { username: 'alice', password: '' }, 401, INCORRECT],
    ['an empty name', { username: '', password: 'secret' }, 401, INCORRECT],
    ['a name of every object', { username: '__proto__', password: 'secret' }, 401, INCORRECT],
    ['a number as name', { username: 1, password: 'secret' }, 400, NOT_TEXT],
    ['a list as password', { username: 'alice', password: ['secret'] }, 400, NOT_TEXT],
    ['a very long name', { username: 'a'.repeat(4_000), password: 'secret' }, 401, INCORRECT],
    ['no password', { username: 'alice' }, 400, REQUIRED],
    ['null as password', { username: 'alice', password: null }, 400, REQUIRED],
    ['no name', { password: 'secret' }, 400, REQUIRED],
    ['nothing', {}, 400, REQUIRED],
    ['no body', '', 400, REQUIRED],
    ['no JSON', '{', 400, MALFORMED],
    ['a list', [], 400, MALFORMED],
    ['null', 'null', 400, MALFORMED],
    ['a text', '"alice"', 400, MALFORMED],
    [
      'too much',
      { username: 'alice', password: 'x'.repeat(9_000) },
      413,
      'Authentication failed: the request is too long.',
    ],
  ]
  test.each(table)(
    'when it has %s, then the answer says so with its status',
    async (_, body, status, text) => {
      const node = await startLoginNode(USERS)
      expect(await outcome(await node.login(body))).toEqual([status, text])
      expect(node.denials.length).toBe(status === 401 ? 1 : 0)
    },
  )

  test('then an unknown user and a wrong password take the same work and give the same answer', async () => {
    const cheap = `[Users.cheap]\npassword = "${hashOf('x')}"\n`
    const dear = '[Users.dear]\npassword = "$2a$08$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234"\n'
    const node = await startLoginNode(cheap + dear)
    const answers: unknown[] = []
    for (const username of ['cheap', 'dear', 'nobody', 'a.b.c'])
      answers.push(await outcome(await node.login({ username, password: 'wrong' })))
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
    // What the check does is set by the highest cost: hash first, then as much as is missing.
    expect(node.jobs.map(({ failCost }) => failCost)).toEqual([8, 8, 8, 8])
    expect(node.jobs.map(({ hash }) => hash.slice(4, 6))).toEqual(['04', '08', '08', '08'])
  })

  test('then a wrong password takes the work of the highest cost in the file, and a right one that of its own hash', () => {
    const workOf = (cost: number, failCost: number, isRight: boolean): number => {
      let work = 0
      const isTaken = passwordMatches({ password: 'x', hash: dummyHash(cost), failCost }, (_, hash) => {
        work += 2 ** Number(hash.slice(4, 6))
        return isRight
      })
      expect(isTaken).toBe(isRight)
      return work
    }
    for (let failCost = 4; failCost <= 14; failCost++)
      for (let cost = 4; cost <= failCost; cost++) {
        expect(workOf(cost, failCost, false)).toBe(2 ** failCost)
        expect(workOf(cost, failCost, true)).toBe(2 ** cost)
      }
  })

  test('when a hash in the file costs more than the limit, then it is not computed', async () => {
    for (const cost of ['03', '15', '31', '99']) {
      const hash = dummyHash(10).replace('$10$', () => `$${cost}$`)
      const node = await startLoginNode(`[Users.a]\npassword = "${hash}"`)
      expect((await node.login({ username: 'a', password: 'x' })).status).toBe(401)
      expect(node.jobs.map(job => job.hash)).toEqual([dummyHash(10)])
    }
  })

  test('then a denial contains no typed text except a user name of the file', async () => {
    const node = await startLoginNode(USERS)
    await node.login({ username: 'my-pass-word', password: 'other-pass-word' })
    await node.login({ username: 'alice', password: 'other-pass-word' })
    expect(node.denials.map(({ who }) => who)).toEqual(['an unknown user', 'alice'])
    expect(JSON.stringify(node.denials)).not.toContain('pass-word')
  })

  test('when too many logins from the address have failed, then the answer says when to retry, and nothing is checked', async () => {
    const node = await startLoginNode(USERS)
    let response = await node.login({ username: 'alice', password: 'wrong' })
    while (response.status === 401) response = await node.login({ username: 'alice', password: 'wrong' })
    const checked = node.jobs.length
    expect(checked).toBe(60)
    const right = await node.login({ username: 'alice', password: 'secret' })
    expect(await outcome(right)).toEqual([
      429,
      'Authentication failed: too many failed logins, try again in 3 seconds.',
    ])
    expect(right.headers.get('retry-after')).toBe('3')
    expect(node.jobs.length).toBe(checked)
    expect((await node.login({ username: 'alice', password: 'secret' }, '192.0.2.9')).status).toBe(200)
    node.clockMs += 3_000
    expect((await node.login({ username: 'alice', password: 'secret' })).status).toBe(200)
  })

  test('when a user has logged in from the address before, then failures of others there do not keep that user out', async () => {
    const node = await startLoginNode(USERS)
    const from = '192.0.2.1'
    expect((await node.login({ username: 'alice', password: 'secret' }, from)).status).toBe(200)
    let { status } = await node.login({ username: 'none', password: 'wrong' }, from)
    while (status === 401) ({ status } = await node.login({ username: 'none', password: 'wrong' }, from))
    expect(status).toBe(429)
    expect((await node.login({ username: 'none', password: 'secret' }, from)).status).toBe(429)
    expect((await node.login({ username: 'alice', password: 'secret' }, from)).status).toBe(200)
  })

  test('when too many passwords are waiting, then the answer is 503 and does not count as a failure', async () => {
    const node = await startLoginNode(USERS)
    node.failure = Object.assign(new Error('full'), { code: 'PASSWORD_QUEUE_FULL' })
    for (let i = 0; i < 100; i++) {
      const response = await node.login({ username: 'alice', password: 'wrong' })
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    }
    node.failure = undefined
    expect((await node.login({ username: 'alice', password: 'secret' })).status).toBe(200)
    node.failure = new Error('the thread has died')
    expect((await node.login({ username: 'alice', password: 'secret' })).status).toBe(500)
    expect(node.reported).toEqual(['Login'])
  })
})

describe('given a password that bcrypt would confuse with another', () => {
  const A72 = 'a'.repeat(72)

  test('then 72 bytes are accepted, and longer ones and zero bytes are refused', async () => {
    const node = await startLoginNode(
      `[Users.a]\npassword = "${hashOf(A72)}"\n[Users.b]\npassword = "${hashOf('b')}"\n`,
    )
    const status = async (username: string, password: string): Promise<number> =>
      (await node.login({ username, password })).status
    expect(await status('a', A72)).toBe(200)
    for (const longer of [`${A72}x`, A72 + A72, `${A72}ä`]) expect(await status('a', longer)).toBe(401)
    expect(await status('b', 'b')).toBe(200)
    for (const same of ['b\0b', 'b\0', 'b\0b\0b']) expect(await status('b', same)).toBe(401)
  })

  test('then passwords are counted in bytes, not in characters', () => {
    expect(passwordProblem('ä'.repeat(36))).toBeUndefined()
    expect(passwordProblem('ä'.repeat(37))).toContain('72 bytes')
    expect(passwordProblem('\ud800')).toContain('Unicode')
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 90 }), password => {
        const isFine = Buffer.byteLength(password) <= 72 && !password.includes('\0')
        expect(passwordProblem(password) === undefined).toBe(isFine)
      }),
    )
  })
})

describe('given other requests for /login', () => {
  const ask = async (init: RequestInit, headers: Record<string, string> = {}) => {
    const node = await startLoginNode(USERS)
    const body = '{"username":"alice","password":"secret"}'
    const all = { host: 'localhost', ...headers }
    return await node.fetch(
      new Request('http://localhost/login', {
        ...init,
        ...(init.method === 'POST' ? { body } : {}),
        headers: all,
      }),
    )
  }

  test('then only POST is allowed', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const response = await ask({ method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  test('then hosts, origins and the Accept header are checked as for other paths', async () => {
    expect((await ask({ method: 'POST' })).status).toBe(200)
    expect((await ask({ method: 'POST' }, { host: 'evil.example' })).status).toBe(403)
    expect((await ask({ method: 'POST' }, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await ask({ method: 'POST' }, { accept: 'text/html' })).status).toBe(406)
  })
})
