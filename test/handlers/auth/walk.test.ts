import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Method } from '../../../handlers/rpc/method.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { type LoginNode, startLoginNode, userToml } from './login/loginNode.ts'

const UNAUTHORIZED = { code: -40100, message: 'Unauthorized' }

/** Method and permission of every row of the table; whoever adds one is asked here too. */
const ROWS = METHODS.map(row => [row.name, row] as const)

/** An address for each method: denials of one address are logged up to a limit. */
const addressOf = (name: string): string => `198.51.100.${METHODS.findIndex(row => row.name === name)}`

const userOf = (name: string): string => `u-${name.replaceAll('_', '-')}`

/**
 * For each method a user who may run it alone, and one who may run every other one, each in a file of its own: a login reads all
 * of its file.
 */
const USERS: ReadonlyMap<string, string> = new Map(
  [
    ['everything', ['*:*']] as const,
    ...METHODS.flatMap(({ name, permission }) => [
      [`${userOf(name)}-right`, [permission]] as const,
      [`${userOf(name)}-wrong`, METHODS.filter(row => row.name !== name).map(row => row.permission)] as const,
    ]),
  ].map(([name, permissions]) => [name, userToml(name, 'p', permissions)]),
)

let host: TestNode
let node: LoginNode

beforeAll(async () => {
  const apis = [...new Set(METHODS.map(({ group }) => group))]
  host = await startTestNode({ rpc: { apis } })
  node = await startLoginNode('', { context: host.context, openMethods: ['web3_clientVersion'] })
})

afterAll(() => host.close())

const tokenOf = (user: string): Promise<string> => {
  node.credentials = USERS.get(user) ?? ''
  return node.tokenOf(user, 'p')
}

type Answer = { readonly id: number; readonly result?: unknown; readonly error?: { readonly code: number } }

const single = async (name: string, token: string | undefined, params: unknown = []) => {
  const response = await node.post({ jsonrpc: '2.0', id: 7, method: name, params }, token, addressOf(name))
  return { status: response.status, answer: (await response.json()) as Answer }
}

/** Between two that anyone may run, so that its place counts. */
const inBatch = async (name: string, token: string | undefined) => {
  const request = (id: number, method: string) => ({ jsonrpc: '2.0', id, method, params: [] })
  const body = [request(1, 'web3_clientVersion'), request(2, name), request(3, 'web3_clientVersion')]
  const response = await node.post(body, token, addressOf(name))
  return { status: response.status, answers: (await response.json()) as readonly Answer[] }
}

const isOpen = ({ name }: Method): boolean => name === 'web3_clientVersion'

describe.each(ROWS)('given the method %s on a node with tokens', (name, row) => {
  test('when a request has no token, then it is refused, single and in a batch', async () => {
    const { status, answer } = await single(name, undefined)
    const batch = await inBatch(name, undefined)
    expect(batch.status).toBe(200)
    expect(batch.answers.map(({ id }) => id)).toEqual([1, 2, 3])
    if (isOpen(row)) expect([status, answer.error]).toEqual([200, undefined])
    else {
      expect([status, answer.id, answer.error]).toEqual([401, 7, UNAUTHORIZED])
      expect(batch.answers.map(({ error }) => error)).toEqual([undefined, UNAUTHORIZED, undefined])
    }
  })

  test('when the token has other permissions only, then it is refused before its parameters are read', async () => {
    const token = await tokenOf(`${userOf(name)}-wrong`)
    const before = node.denials.length
    for (const params of [[], ['nonsense', -1, {}], null]) {
      const { status, answer } = await single(name, token, params)
      if (isOpen(row)) expect(status).not.toBe(401)
      else expect([status, answer.error]).toEqual([401, UNAUTHORIZED])
    }
    const { answers } = await inBatch(name, token)
    if (isOpen(row)) return
    expect(answers.map(({ error }) => error)).toEqual([undefined, UNAUTHORIZED, undefined])
    expect(node.denials.slice(before)).toEqual(
      Array.from({ length: 4 }, () => ({ who: `${userOf(name)}-wrong`, what: name, from: addressOf(name) })),
    )
  })

  test('when the token has its permission, then it runs', async () => {
    const token = await tokenOf(`${userOf(name)}-right`)
    const { status, answer } = await single(name, token)
    expect(status).not.toBe(401)
    expect(answer.error?.code).not.toBe(UNAUTHORIZED.code)
    const { answers } = await inBatch(name, token)
    expect(answers[1]?.error?.code).not.toBe(UNAUTHORIZED.code)
  })
})

describe('given a node with tokens', () => {
  test('then an unknown method is reported before permissions are checked, but after authentication', async () => {
    const token = await tokenOf(`${userOf('net_version')}-right`)
    for (const [name, code] of [
      ['eth_nothing', -32601],
      ['eth_subscribe', -32604],
    ] as const) {
      const { status, answer } = await single(name, token)
      expect([status, answer.error?.code]).toEqual([200, code])
    }
  })

  test('then a malformed body is reported to every client if a method is open, even with a bad token', async () => {
    const response = await node.post('{', 'x.y.z')
    expect([response.status, ((await response.json()) as Answer).error?.code]).toEqual([400, -32700])
  })

  test('then notifications have no answer, with or without permission', async () => {
    const body = { jsonrpc: '2.0', method: 'eth_blockNumber' }
    const response = await node.post(body, 'x.y.z')
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('when no method is open, then a request without a token is refused before its body is read', async () => {
    const closed = await startLoginNode('', { context: host.context })
    for (const body of ['{', '[]', '{"id":1,"method":"eth_blockNumber"}', 'x'.repeat(10_000)]) {
      const response = await closed.post(body)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBeNull()
      expect(await response.text()).toBe(
        '{"jsonrpc":"2.0","id":null,"error":{"code":-40100,"message":"Unauthorized"}}',
      )
    }
    expect(closed.denials[0]).toEqual({ who: 'nobody (no token)', what: 'any method', from: '192.0.2.1' })
  })

  test('when no method is open, then a request with a bad token is refused before its body is read', async () => {
    const closed = await startLoginNode('', { context: host.context })
    for (const body of ['{', '[{"id":7,"method":"eth_blockNumber"}]']) {
      const bad = await closed.post(body, 'x.y.z')
      expect([bad.status, await bad.json()]).toEqual([401, { jsonrpc: '2.0', id: null, error: UNAUTHORIZED }])
    }
    expect(closed.denials[0]).toEqual({
      who: 'nobody (the token is malformed)',
      what: 'any method',
      from: '192.0.2.1',
    })
  })

  test('then probes need no token', async () => {
    for (const [path, status] of [
      ['/liveness', 200],
      ['/readiness', 200],
      ['/', 201],
    ] as const) {
      const response = await node.fetch(
        new Request(`http://localhost${path}`, { headers: { host: 'localhost' } }),
      )
      expect(response.status).toBe(status)
    }
  })
})
