import { describe, expect } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { independent as test } from '../../support/scenario.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { type RuntimeName, isInstalled, runCommand, startNode } from '../nodeProcess.ts'

type Issuer = { readonly jwk: JWK; token(name?: string): Promise<string> }

const createIssuer = async (kid: string, algorithm = 'ES256'): Promise<Issuer> => {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true })
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' },
    token: (name = 'me') =>
      new SignJWT({ permissions: ['*:*'], username: name })
        .setProtectedHeader({ alg: algorithm, kid })
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
  }
}

const setOf = (...issuers: readonly Issuer[]): string =>
  JSON.stringify({ keys: issuers.map(({ jwk }) => jwk) })

const ask = async (url: string, token: string | undefined) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  })
  await response.text()
  return response
}
const statusOf = async (url: string, token: string | undefined): Promise<number> =>
  (await ask(url, token)).status

const AUTHENTICATED = '--rpc-http-authentication-enabled'

describe('given a node with a key set', () => {
  const runtimes = (['bun', 'node', 'deno'] as readonly RuntimeName[]).filter(isInstalled)
  test.each(runtimes.map(runtime => [runtime] as const))(
    'when the issuer changes its keys, then %s follows without a restart',
    runtime =>
      withFolder(async folder => {
        const [first, second, third] = await Promise.all([
          createIssuer('a'),
          createIssuer('b', 'RS256'),
          createIssuer('c', 'ES384'),
        ])
        const file = join(folder, 'jwks.json')
        writeFileSync(file, setOf(first, second))
        const node = await startNode(
          join(folder, 'data'),
          [AUTHENTICATED, `--rpc-http-authentication-jwks=${file}`],
          { runtime },
        )
        try {
          const tokens = await Promise.all([first.token(), second.token(), third.token()])
          const statuses = () => Promise.all(tokens.map(token => statusOf(node.url, token)))
          expect(await statuses()).toEqual([200, 200, 401])
          expect(await statusOf(node.url, undefined)).toBe(401)
          writeFileSync(file, setOf(second, third))
          await until(async () => (await statuses()).join() === '401,200,200')
          // What is half-written changes nothing.
          writeFileSync(file, setOf(first).slice(0, 50))
          await until(() => node.output().includes('cannot be read: it is not JSON'))
          expect(await statuses()).toEqual([401, 200, 200])
          rmSync(file)
          await until(() => node.output().includes('cannot be read: there is no such file'))
          expect(await statuses()).toEqual([401, 200, 200])
        } finally {
          await node.stop()
        }
      }),
  )

  test('when its server lies, hangs or sends without end, then the node starts and answers, and no token is valid', () =>
    withFolder(async folder => {
      const issuer = await createIssuer('a')
      const never = new ReadableStream({
        pull: controller => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
      })
      const server = Bun.serve({
        port: 0,
        fetch: ({ url }) => {
          const { pathname } = new URL(url)
          if (pathname === '/good') return new Response(setOf(issuer))
          if (pathname === '/lies') return new Response('{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}')
          if (pathname === '/moved') return Response.redirect('/good')
          if (pathname === '/endless') return new Response(never)
          return new Promise<Response>(() => undefined)
        },
      })
      const told: Readonly<Record<string, string>> = {
        lies: 'it holds a private key',
        moved: 'its server answers with status 302',
        endless: 'it is longer than 1048576 bytes',
        hangs: 'nothing came within 5 s',
      }
      try {
        const outcomes = Object.entries({ good: 'were read from', ...told }).map(async ([path, text]) => {
          const node = await startNode(join(folder, path), [
            AUTHENTICATED,
            `--rpc-http-authentication-jwks=http://127.0.0.1:${server.port}/${path}`,
          ])
          try {
            expect(node.output()).toContain(text)
            return [path, await statusOf(node.url, await issuer.token())]
          } finally {
            await node.stop()
          }
        })
        expect(Object.fromEntries((await Promise.all(outcomes)) as [string, number][])).toEqual({
          good: 200,
          lies: 401,
          moved: 401,
          endless: 401,
          hangs: 401,
        })
      } finally {
        await server.stop(true)
      }
    }))

  test('when the file is no key set, then the start is refused in one sentence', () =>
    withFolder(async folder => {
      const file = join(folder, 'jwks.json')
      const bad: readonly (readonly [text: string, reason: string])[] = [
        ['{"keys"', 'it is not JSON'],
        ['[]', 'it is not a JSON Web Key Set'],
        ['{"keys":[]}', 'it has no key for signatures'],
        ['{"keys":[{"kty":"EC","crv":"P-256","d":"AA"}]}', 'it holds a private key'],
        [
          JSON.stringify({ keys: Array.from({ length: 101 }, () => ({ kty: 'RSA' })) }),
          'it has more than 100 keys',
        ],
        [' '.repeat(2 ** 20 + 1), 'it is longer than 1048576 bytes'],
      ]
      for (const [text, reason] of bad) {
        writeFileSync(file, text)
        const { code, error } = await runCommand([
          `--data-path=${join(folder, 'data')}`,
          AUTHENTICATED,
          `--rpc-http-authentication-jwks=${file}`,
        ])
        expect([code, error]).toEqual([
          2,
          expect.stringContaining(`--rpc-http-authentication-jwks: ${file} cannot be used: ${reason}`),
        ])
      }
    }))
})

describe('given a limit of requests', () => {
  test('when a user sends more, then the answer says when to retry, and another user is answered', () =>
    withFolder(async folder => {
      const issuer = await createIssuer('a')
      const file = join(folder, 'jwks.json')
      writeFileSync(file, setOf(issuer))
      const node = await startNode(join(folder, 'data'), [
        AUTHENTICATED,
        `--rpc-http-authentication-jwks=${file}`,
        '--rpc-http-rate-limit=2',
      ])
      try {
        const token = await issuer.token('a')
        const answers = await Promise.all(Array.from({ length: 12 }, () => ask(node.url, token)))
        const refused = answers.filter(({ status }) => status === 429)
        expect(refused.length).toBeGreaterThan(0)
        expect(refused[0]?.headers.get('retry-after')).toBe('1')
        expect(await statusOf(node.url, await issuer.token('b'))).toBe(200)
        await until(async () => (await statusOf(node.url, token)) === 200)
      } finally {
        await node.stop()
      }
    }))
})
