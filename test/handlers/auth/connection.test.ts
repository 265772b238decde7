import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { importPKCS8, SignJWT } from 'jose'
import { AUTHENTICATE_METHOD, createConnectionAuthentication } from '../../../handlers/auth/connection.ts'
import { authorizationOfSubprotocols } from '../../../handlers/auth/subprotocol.ts'
import { createKeys } from './keys.ts'
import { authenticationWith, CLAIMS, NOW_SECONDS, type Verifier } from './tokens.ts'

const keys = await createKeys('ES256')
const key = await importPKCS8(keys.privatePem, 'ES256')

const sign = (claims: Readonly<Record<string, unknown>>): Promise<string> =>
  new SignJWT({ ...CLAIMS, permissions: ['eth:*'], ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(key)

const SUBSCRIBE = { name: 'eth_subscribe', permission: 'eth:subscribe' }

const open = async (token: string | null, openMethods: readonly string[] = []) => {
  const node = await authenticationWith(keys.publicPem, 'ES256', openMethods)
  let ended = 0
  const connection = createConnectionAuthentication(node, {
    authorization: token === null ? null : `Bearer ${token}`,
    client: () => '192.0.2.1',
    endSubscriptions: () => {
      ended++
    },
  })
  return { node, connection, ended: () => ended }
}

/** Time of the node and of its timers. What a timer started is waited for. */
const pass = async (node: Verifier, ms: number): Promise<void> => {
  node.clockMs += ms
  jest.advanceTimersByTime(ms)
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

describe('given a connection with a token', () => {
  test('then each message is checked again, and subscriptions end 60 seconds after the token', async () => {
    const { node, connection, ended } = await open(await sign({}))
    expect((await connection.identify()).permits(SUBSCRIBE)).toBe(true)
    await pass(node, 300_000)
    expect((await connection.identify()).permits(SUBSCRIBE)).toBe(false)
    await pass(node, 59_000)
    expect(ended()).toBe(0)
    await pass(node, 1_000)
    expect(ended()).toBe(1)
  })

  test('when a new token is presented in time, then subscriptions continue until that one ends', async () => {
    const { node, connection, ended } = await open(await sign({}))
    await connection.identify()
    await pass(node, 330_000)
    const exp = NOW_SECONDS + 1_000
    expect(await connection.present(await sign({ exp }))).toBe(exp * 1000)
    await pass(node, 600_000)
    expect((await connection.identify()).permits(SUBSCRIBE)).toBe(true)
    expect(ended()).toBe(0)
    await pass(node, 200_000)
    expect(ended()).toBe(1)
  })

  test('when the presented token is not valid, then nothing changes', async () => {
    const { node, connection, ended } = await open(await sign({}))
    await connection.identify()
    for (const token of ['', 'x', 'x.y.z', await sign({ exp: NOW_SECONDS })])
      expect(await connection.present(token)).toBeUndefined()
    expect(node.denials.map(({ what }) => what)).toEqual(Array.from({ length: 4 }, () => AUTHENTICATE_METHOD))
    expect((await connection.identify()).permits(SUBSCRIBE)).toBe(true)
    expect(ended()).toBe(0)
    await pass(node, 360_000)
    expect(ended()).toBe(1)
  })

  test('when a new token does not permit subscriptions, then they end at once', async () => {
    const { connection, ended } = await open(await sign({}))
    await connection.identify()
    await connection.present(await sign({ permissions: ['net:*'] }))
    expect(ended()).toBe(1)
  })

  test('when subscribing is open to everyone, then they continue', async () => {
    const { node, connection, ended } = await open(await sign({}), ['eth_subscribe'])
    await connection.identify()
    await pass(node, 3_600_000)
    expect(ended()).toBe(0)
  })

  test('when the token ends after many years, then no timer fires early', async () => {
    const { node, connection, ended } = await open(await sign({ exp: NOW_SECONDS + 100 * 365 * 86_400 }))
    await connection.identify()
    for (let month = 0; month < 3; month++) await pass(node, 30 * 86_400_000)
    expect(ended()).toBe(0)
  })

  test('when it is closed, then nothing fires any more', async () => {
    const { node, connection, ended } = await open(await sign({}))
    await connection.identify()
    connection.close()
    await pass(node, 3_600_000)
    expect(ended()).toBe(0)
  })
})

describe('given a connection without a token', () => {
  test('then it may present one, and nothing else', async () => {
    const { connection } = await open(null)
    const nobody = await connection.identify()
    expect(nobody.permits({ name: AUTHENTICATE_METHOD, permission: 'rpc:authenticate' })).toBe(true)
    expect(nobody.permits({ name: 'rpc_modules', permission: 'rpc:modules' })).toBe(false)
    await connection.present(await sign({}))
    expect((await connection.identify()).permits(SUBSCRIBE)).toBe(true)
  })
})

describe('given the subprotocols of an upgrade', () => {
  test.each([
    ['bearer, a.b.c', 'Bearer a.b.c'],
    ['bearer,a.b.c', 'Bearer a.b.c'],
    ['bearer, a.b.c, undefined', 'Bearer a.b.c'],
    ['bearer', undefined],
    ['bearer,', undefined],
    ['a.b.c', undefined],
    ['a.b.c, bearer', undefined],
    ['Bearer, a.b.c', undefined],
    ['undefined', undefined],
    ['', undefined],
    [null, undefined],
  ])('when they are %p, then they give the header %p', (offered, authorization) => {
    expect(authorizationOfSubprotocols(offered)).toBe(authorization as string)
  })
})
