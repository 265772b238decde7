import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getLogger } from '@logtape/logtape'
import { openAccess } from '../../../runtime/auth/open.ts'
import { UsageError } from '../../../runtime/cli/errors.ts'
import { ignoredOptions } from '../../../runtime/cli/ignored.ts'
import { resolveNodeOptions as resolve } from '../nodeOptions.ts'
import { createKeys, createSecp256k1Keys } from '../../handlers/auth/keys.ts'
import { userToml } from '../../handlers/auth/login/loginNode.ts'
import { withFolder } from '../folder.ts'

const LOG = getLogger(['test'])

/** What a start says to the command line; undefined where it goes on. */
const refusal = async (args: readonly string[]): Promise<string | undefined> => {
  try {
    const access = await openAccess(resolve(args).values, LOG)
    await access.close()
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

/** With a file of that content, given as `option`. */
const refusalOf = (
  content: string,
  option: string,
  ...more: readonly string[]
): Promise<string | undefined> =>
  withFolder(async folder => {
    const path = join(folder, 'file')
    writeFileSync(path, content)
    return (await refusal([`--${option}=${path}`, ...more]))?.replaceAll(path, 'FILE')
  })

const PORTS = [
  ['rpc-http', 'HTTP', 'HTTP'],
  ['rpc-ws', 'WS', 'WebSocket'],
] as const

describe.each(PORTS)('given --%s-authentication-enabled', (flag, port, name) => {
  const on = `--${flag}-authentication-enabled`
  const file = `${flag}-authentication-credentials-file`
  const key = `${flag}-authentication-jwt-public-key-file`

  test('when there is neither file nor key, then Besu’s text says so', async () => {
    expect(await refusal([on])).toBe(
      `Unable to authenticate JSON-RPC ${name} endpoint without a supplied credentials file or authentication public key file: give --${file}, --${key} or --${flag}-authentication-jwks`,
    )
  })

  test('when there are both, then the start is refused', async () => {
    expect(await refusal([on, `--${file}=a`, `--${key}=b`])).toStartWith(
      `--${file} and --${key} exclude each other`,
    )
  })

  test('when the file is missing, then Besu’s text says so', async () => {
    expect(await refusal([on, `--${file}=nowhere.toml`])).toBe(
      `The specified RPC ${port} authentication credential file 'nowhere.toml' does not exist`,
    )
  })

  const wrong: readonly (readonly [what: string, content: string, text: string])[] = [
    [
      'empty',
      '',
      `Invalid RPC ${port} authentication credentials file: the file is empty, it needs a [Users.<name>] table`,
    ],
    [
      'of users without password',
      '[Users.a]\npermissions = ["eth:*"]',
      'RPC user specified without password.',
    ],
    [
      'of wrong values',
      `${userToml('a', 'x', [])}roles = []`,
      'RPC authentication configuration file contains invalid values.',
    ],
  ]
  test.each(wrong)('when the file is %s, then Besu’s text says so', async (_, content, text) => {
    expect(await refusalOf(content, file, on)).toStartWith(text)
  })

  test.each([
    ['no TOML', '{Users.a}'],
    ['two tables of one name', userToml('a', 'x', []) + userToml('a', 'x', [])],
  ])('when the file is %s, then Besu’s text begins the reason', async (_, content) => {
    expect(await refusalOf(content, file, on)).toStartWith(
      `Invalid RPC ${port} authentication credentials file: `,
    )
  })

  test('when it is a folder or too long, then that is the reason', async () => {
    expect(await refusal([on, `--${file}=.`])).toBe(
      `Invalid RPC ${port} authentication credentials file: it cannot be read: it is a folder (.)`,
    )
    expect(await refusalOf(`#${'x'.repeat(2 ** 20)}`, file, on)).toContain('is longer than 1048576 bytes')
  })

  test('when the file is valid, also with empty permissions, then it is accepted', async () => {
    expect(await refusalOf(userToml('a', 'x', []), file, on)).toBeUndefined()
  })

  test('when the key cannot be read, is not a key or does not match the algorithm, then the message says which', async () => {
    expect(await refusal([on, `--${key}=nowhere.pem`])).toBe(
      'Authentication RPC public key could not be read (nowhere.pem: there is no such file)',
    )
    expect(await refusalOf('hello', key, on)).toBe(
      'Authentication RPC public key file format is invalid (FILE)',
    )
    const rsa = await createKeys('RS256')
    expect(await refusalOf(rsa.publicPem, key, on)).toBeUndefined()
    expect(
      await refusalOf(rsa.publicPem, key, on, `--${flag}-authentication-jwt-algorithm=rs512`),
    ).toBeUndefined()
    expect(await refusalOf(rsa.publicPem, key, on, `--${flag}-authentication-jwt-algorithm=ES256`)).toBe(
      'The authentication public key is an RSA key, which ES256 cannot use: give RS256, RS384 or RS512 (FILE)',
    )
    expect(await refusalOf(rsa.privatePem, key, on)).toStartWith(
      'The authentication public key file holds a private key',
    )
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
    expect(await refusalOf(short.export({ type: 'spki', format: 'pem' }) as string, key, on)).toBe(
      'The authentication public key is an RSA key of 1024 bits: at least 2048 bits are required (FILE)',
    )
    const k1 = createSecp256k1Keys().publicPem
    expect(await refusalOf(k1, key, on, `--${flag}-authentication-jwt-algorithm=ES256`)).toBeUndefined()
    expect(await refusalOf(k1, key, on, `--${flag}-authentication-jwt-algorithm=ES384`)).toContain(
      'secp256k1',
    )
  })

  test('when an open method does not exist, then Besu’s text says so, whether or not authentication is on', async () => {
    const text = `Invalid value for option '--${flag}-api-methods-no-auth', options must be valid RPC methods`
    for (const list of ['eth_nothing', 'net_version,ETH_CALL', 'eth:call', 'eth_*'])
      expect(await refusal([`--${flag}-api-methods-no-auth=${list}`])).toBe(text)
    for (const list of ['net_version', 'eth_subscribe,trace_block', ''])
      expect(await refusal([`--${flag}-api-methods-no-auth=${list}`])).toBeUndefined()
    expect(await refusal([`--${flag}-api-method-no-auth=x`])).toBe(text)
  })
})

describe('given logins on both ports', () => {
  test('then a token of one port is not valid on the other, nor after a restart', () =>
    withFolder(async folder => {
      const users = join(folder, 'users.toml')
      writeFileSync(users, userToml('alice', 'secret', ['*:*']))
      const args = ['rpc-http', 'rpc-ws'].flatMap(flag => [
        `--${flag}-authentication-enabled`,
        `--${flag}-authentication-credentials-file=${users}`,
      ])
      const one = await openAccess(resolve(args).values, LOG)
      const again = await openAccess(resolve(args).values, LOG)
      const right = { name: 'eth_call', permission: 'eth:call' }
      const tokenOf = async (port: typeof one.http): Promise<string> => {
        const body = JSON.stringify({ username: 'alice', password: 'secret' })
        const request = new Request('http://localhost/login', { method: 'POST', body })
        const answer = (await (await port.login(request, () => '127.0.0.1')).json()) as { token: string }
        return `Bearer ${answer.token}`
      }
      const takenBy = async (token: string): Promise<readonly boolean[]> => {
        const ports = [one.http, one.ws, again.http, again.ws]
        const identities = await Promise.all(ports.map(async port => port.identify(token, () => '')))
        return identities.map(identity => identity.permits(right))
      }
      expect(await takenBy(await tokenOf(one.http))).toEqual([true, false, false, false])
      expect(await takenBy(await tokenOf(one.ws))).toEqual([false, true, false, false])
      await one.close()
      await again.close()
    }))
})

describe('given an algorithm', () => {
  test('then letters may be of either case, HS256 is refused with the reason, and others with the known algorithms', () => {
    const algorithm = (text: string) =>
      resolve([`--rpc-http-authentication-jwt-algorithm=${text}`]).values.rpcHttpAuthenticationJwtAlgorithm
    expect(resolve([]).values.rpcHttpAuthenticationJwtAlgorithm).toBe('RS256')
    expect(['es256', 'Rs384', 'ES512'].map(algorithm)).toEqual(['ES256', 'RS384', 'ES512'])
    expect(() => algorithm('HS256')).toThrow('HS256 signs and verifies with one secret')
    for (const other of ['none', 'PS256', 'RS1', 'ES256K'])
      expect(() => algorithm(other)).toThrow('expected one of [RS256, RS384, RS512, ES256, ES384, ES512]')
  })
})

describe('given trusted proxies', () => {
  test('then addresses and networks are taken, and nothing else', () => {
    const proxies = (text: string) => resolve([`--rpc-trusted-proxies=${text}`]).values.rpcTrustedProxies
    expect(proxies('127.0.0.1, 10.0.0.0/8,::1')).toEqual(['127.0.0.1', '10.0.0.0/8', '::1'])
    for (const text of ['nginx', '10.0.0.0/33', '*', ''])
      expect(() => proxies(text)).toThrow('neither an IP address')
  })
})

describe('given options whose parent is off', () => {
  const ignored = (args: readonly string[]): readonly string[] => {
    const { values, sources } = resolve(args)
    return ignoredOptions({ options: values, sources }).map(entry => `${entry.ignored} < ${entry.parent}`)
  }

  test('then each is reported once, with the parent that would give it an effect', () => {
    expect(
      ignored(['--rpc-http-authentication-credentials-file=a', '--rpc-http-api-method-no-auth=net_version']),
    ).toEqual([
      '--rpc-http-authentication-credentials-file, --rpc-http-api-methods-no-auth < --rpc-http-authentication-enabled',
    ])
    const off = '--rpc-http-enabled=false'
    expect(ignored([off, '--rpc-http-authentication-enabled', '--rpc-http-port=1'])).toEqual([
      '--rpc-http-port, --rpc-http-authentication-enabled < --rpc-http-enabled',
    ])
    expect(ignored(['--rpc-ws-enabled', '--rpc-ws-authentication-subprotocol-enabled'])).toEqual([
      '--rpc-ws-authentication-subprotocol-enabled < --rpc-ws-authentication-enabled',
    ])
    expect(
      ignored(['--rpc-http-authentication-enabled', '--rpc-http-authentication-jwt-algorithm=ES256']),
    ).toEqual(['--rpc-http-authentication-jwt-algorithm < --rpc-http-authentication-jwt-public-key-file'])
    expect(ignored(['--rpc-trusted-proxies=::1'])).toEqual([
      '--rpc-trusted-proxies < --rpc-http-authentication-enabled',
    ])
    expect(ignored([])).toEqual([])
    expect(
      ignored(['--rpc-http-authentication-enabled', '--rpc-http-authentication-credentials-file=a']),
    ).toEqual([])
  })
})
