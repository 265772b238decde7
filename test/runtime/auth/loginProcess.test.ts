import { describe, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKeys } from '../../handlers/auth/keys.ts'
import { withFolder } from '../folder.ts'
import { isInstalled, type NodeProcess, runCommand, type RuntimeName, startNode } from '../nodeProcess.ts'
import { independent as test } from '../../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

/** Nothing of it may be in what a node writes. */
const PASSWORD = 'correct-horse-battery'

const post = (
  node: NodeProcess,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${node.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { ...headers } })

const ask = async (node: NodeProcess, method: string, token?: string) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await post(node, '/', { jsonrpc: '2.0', id: 7, method, params: [] }, headers)
  return { status: response.status, answer: (await response.json()) as { id: unknown; error?: unknown } }
}

const UNAUTHORIZED = { code: -40100, message: 'Unauthorized' }

describe.each(RUNTIMES)('given a node with a credentials file on %s', runtime => {
  test.skipIf(!isInstalled(runtime))(
    'when users log in, then their permissions apply, and denials are logged',
    () =>
      withFolder(async folder => {
        const hash = await runCommand(['password', 'hash'], { runtime, input: `${PASSWORD}\n` })
        const users = join(folder, 'users.toml')
        const write = (permissions: readonly string[]): void =>
          writeFileSync(
            users,
            `[Users.alice]\npassword = "${hash.out.trim()}"\npermissions = ${JSON.stringify(permissions)}\n`,
          )
        write(['eth:*'])
        const args = [
          '--rpc-http-authentication-enabled',
          `--rpc-http-authentication-credentials-file=${users}`,
          '--rpc-trusted-proxies=127.0.0.1',
        ]
        const node = await startNode(join(folder, 'data'), args, { runtime })

        const nobody = await ask(node, 'eth_blockNumber')
        expect([nobody.status, nobody.answer]).toEqual([
          401,
          { jsonrpc: '2.0', id: null, error: UNAUTHORIZED } as never,
        ])

        const wrong = await post(
          node,
          '/login',
          { username: 'alice', password: `${PASSWORD}!` },
          {
            'x-forwarded-for': '6.6.6.6, 203.0.113.9',
          },
        )
        expect([wrong.status, await wrong.text()]).toEqual([
          401,
          'Authentication failed: the username or password is incorrect.',
        ])

        const login = await post(node, '/login', { username: 'alice', password: PASSWORD })
        const { token } = (await login.json()) as { token: string }
        expect((await ask(node, 'eth_blockNumber', token)).status).toBe(200)
        const denied = await ask(node, 'web3_clientVersion', token)
        expect([denied.status, denied.answer.id, denied.answer.error]).toEqual([401, 7, UNAUTHORIZED])

        write(['web3:clientVersion'])
        const again = (await (
          await post(node, '/login', { username: 'alice', password: PASSWORD })
        ).json()) as {
          token: string
        }
        expect((await ask(node, 'web3_clientVersion', again.token)).status).toBe(200)
        expect((await ask(node, 'eth_blockNumber', again.token)).status).toBe(401)
        expect((await ask(node, 'eth_blockNumber', token)).status).toBe(200)

        expect(await node.stop()).toBe(0)
        const output = node.output()
        for (const line of [
          'Denied any method to nobody (no token) from 127.0.0.1',
          'Denied login to alice from 203.0.113.9',
          'alice logged in from 127.0.0.1',
          'Denied web3_clientVersion to alice from 127.0.0.1',
        ])
          expect(output).toContain(line)
        for (const secret of [PASSWORD, hash.out.trim(), token, token.split('.')[2] as string, again.token])
          expect(output).not.toContain(secret)

        const restarted = await startNode(join(folder, 'data'), args, { runtime })
        expect((await ask(restarted, 'web3_clientVersion', again.token)).status).toBe(401)
        expect(await restarted.stop()).toBe(0)
      }),
  )

  test.skipIf(!isInstalled(runtime))(
    'when it is stopped while it checks passwords, then it ends at once',
    () =>
      withFolder(async folder => {
        const users = join(folder, 'users.toml')
        const dear = '$2a$14$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234'
        writeFileSync(users, `[Users.alice]\npassword = "${dear}"\n`)
        const node = await startNode(
          join(folder, 'data'),
          ['--rpc-http-authentication-enabled', `--rpc-http-authentication-credentials-file=${users}`],
          { runtime },
        )
        const logins = Array.from({ length: 4 }, () =>
          post(node, '/login', { username: 'alice', password: 'x' }).then(
            ({ status }) => status,
            () => 'cut off',
          ),
        )
        expect(await node.stop()).toBe(0)
        for (const outcome of await Promise.all(logins)) expect([401, 503, 500, 'cut off']).toContain(outcome)
      }),
  )
})

describe('given a node without users', () => {
  test('when a user logs in, then the answer is 400 without a body', () =>
    withFolder(async folder => {
      const key = join(folder, 'key.pem')
      writeFileSync(key, (await createKeys('RS256')).publicPem)
      for (const args of [
        [],
        ['--rpc-http-authentication-enabled', `--rpc-http-authentication-jwt-public-key-file=${key}`],
      ]) {
        const node = await startNode(join(folder, 'data'), args)
        const response = await post(node, '/login', { username: 'alice', password: 'x' })
        // The reason phrase is the runtime's own: Bun's server takes none.
        expect([response.status, await response.text()]).toEqual([400, ''])
        await node.stop()
      }
    }))
})

describe('given authentication without users or keys', () => {
  test('when the node starts, then it ends with code 2 before anything listens', () =>
    withFolder(async folder => {
      const { code, error } = await runCommand([
        `--data-path=${folder}`,
        '--rpc-http-port=0',
        '--rpc-http-authentication-enabled',
      ])
      expect(code).toBe(2)
      expect(error).toStartWith(
        'Unable to authenticate JSON-RPC HTTP endpoint without a supplied credentials file or authentication public key file: give --rpc-http-authentication-credentials-file, --rpc-http-authentication-jwt-public-key-file or --rpc-http-authentication-jwks\n',
      )
    }))
})
