import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { AUTHENTICATE_METHOD } from '../../../handlers/auth/connection.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { CONNECTION_METHODS } from '../../../handlers/rpc/subscriptions/methods.ts'
import { createWsApp, type WsApp } from '../../../handlers/ws/app.ts'
import { startTestNode, type TestNode } from '../support/testNode.ts'
import { type LoginNode, startLoginNode, userToml } from './login/loginNode.ts'

const UNAUTHORIZED = { code: -40100, message: 'Unauthorized' }

/** What a WebSocket serves, but for the method that is there to present a token. */
const ROWS = [...METHODS, ...CONNECTION_METHODS].filter(({ name }) => name !== AUTHENTICATE_METHOD)

const userOf = (name: string): string => `u-${name.replaceAll('_', '-')}`

/** The file that each user is in alone: a login reads all of its file. */
const USERS: ReadonlyMap<string, string> = new Map(
  [
    ['everything', ['*:*']] as const,
    ...ROWS.flatMap(({ name, permission }) => [
      [`${userOf(name)}-right`, [permission]] as const,
      [`${userOf(name)}-wrong`, ROWS.filter(row => row.name !== name).map(row => row.permission)] as const,
    ]),
  ].map(([name, permissions]) => [name, userToml(name, 'p', permissions)]),
)

let host: TestNode
let node: LoginNode
let app: WsApp

beforeAll(async () => {
  const apis = [...new Set(METHODS.map(({ group }) => group))]
  host = await startTestNode({ rpc: { apis } })
  node = await startLoginNode('', { context: host.context, ownKey: true })
  app = createWsApp(host.context, {
    hostAllowlist: ['*'],
    corsOrigins: [],
    connectionsMax: 10,
    authentication: node.authentication,
    clientOf: peer => peer,
  })
})

afterAll(() => host.close())

const tokenOf = (user: string): Promise<string> => {
  node.credentials = USERS.get(user) ?? ''
  return node.tokenOf(user, 'p')
}

type Answer = { readonly id: number; readonly error?: { readonly code: number } }

/** Denials are logged up to a number for each address: each method is asked for from one of its own. */
const addressOf = (name: string): string => `192.0.2.${1 + (ROWS.findIndex(row => row.name === name) % 200)}`

/** Opens a connection of that token, sends each message once the one before is answered, and closes it. */
const talk = async (
  token: string | undefined,
  messages: readonly unknown[],
  address = '192.0.2.250',
): Promise<readonly unknown[]> => {
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` })
  const upgrade = app.upgrade({ headers }, () => address)
  if (upgrade instanceof Response) throw new Error(`the upgrade was refused with ${upgrade.status}`)
  let arrived: (text: string) => void = () => undefined
  const session = upgrade.open({
    send: text => arrived(text),
    bufferedBytes: () => 0,
    close: () => undefined,
    terminate: () => undefined,
  })
  const answers: unknown[] = []
  for (const message of messages) {
    const answer = new Promise<string>(resolve => {
      arrived = resolve
    })
    session.message(JSON.stringify(message))
    answers.push(JSON.parse(await answer))
  }
  session.closed()
  return answers
}

const request = (id: number, method: string, params: unknown = []) => ({ jsonrpc: '2.0', id, method, params })

/** Alone and among others, as both come over the same connection. */
const ask = async (
  name: string,
  token: string | undefined,
): Promise<readonly (Answer['error'] | undefined)[]> => {
  const messages = [
    request(7, name),
    request(8, name, ['nonsense', -1, {}]),
    [request(1, 'eth_nothing'), request(2, name)],
  ]
  const [alone, strange, batch] = await talk(token, messages, addressOf(name))
  const [, within] = batch as readonly Answer[]
  expect([(alone as Answer).id, (strange as Answer).id, within?.id]).toEqual([7, 8, 2])
  return [(alone as Answer).error, (strange as Answer).error, within?.error]
}

describe.each(ROWS.map(({ name }) => [name] as const))('given the method %s over WebSocket', name => {
  test('when the token is missing or has other permissions only, then it is refused', async () => {
    const denied = [UNAUTHORIZED, UNAUTHORIZED, UNAUTHORIZED]
    expect(await ask(name, undefined)).toEqual(denied)
    const before = node.denials.length
    expect(await ask(name, await tokenOf(`${userOf(name)}-wrong`))).toEqual(denied)
    expect(node.denials.slice(before)).toEqual(
      Array.from({ length: 3 }, () => ({ who: `${userOf(name)}-wrong`, what: name, from: addressOf(name) })),
    )
  })

  test('when the token has its permission, then it runs', async () => {
    const errors = await ask(name, await tokenOf(`${userOf(name)}-right`))
    for (const error of errors) expect(error?.code).not.toBe(UNAUTHORIZED.code)
  })
})

describe('given a WebSocket whose token ends', () => {
  test('then the next message is refused, and a new token permits the following ones', async () => {
    const first = await tokenOf('everything')
    node.clockMs += 290_000
    const second = await tokenOf('everything')
    node.clockMs += 20_000
    const answers = await talk(first, [
      request(1, 'eth_chainId'),
      request(2, AUTHENTICATE_METHOD, ['nonsense']),
      request(3, AUTHENTICATE_METHOD, [second]),
      request(4, 'eth_chainId'),
    ])
    const codes = answers.map(answer => (answer as Answer).error?.code)
    expect(codes).toEqual([UNAUTHORIZED.code, UNAUTHORIZED.code, undefined, undefined])
  })
})
