import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from '../folder.ts'
import {
  isInstalled,
  PROCESS_TEST_TIMEOUT_MS,
  runCommand,
  type RuntimeName,
  startNode,
} from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject }

const pemOf = (key: KeyObject): string =>
  key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString()

const writeKeys = (folder: string, pair: Pair) => {
  const paths = { key: join(folder, 'issuer.pem'), publicKey: join(folder, 'public.pem') }
  writeFileSync(paths.key, pemOf(pair.privateKey))
  writeFileSync(paths.publicKey, pemOf(pair.publicKey))
  return paths
}

const KINDS = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
} as const

for (const [algorithm, generate] of Object.entries(KINDS))
  test(`given an issuer's key for ${algorithm}, when tokens are minted on each runtime, then a node takes them and no more than they permit`, () =>
    withFolder(async folder => {
      const { key, publicKey } = writeKeys(folder, generate())
      const node = await startNode(join(folder, 'data'), [
        '--rpc-http-authentication-enabled',
        `--rpc-http-authentication-jwt-public-key-file=${publicKey}`,
        `--rpc-http-authentication-jwt-algorithm=${algorithm}`,
      ])
      const call = async (token: string, method: string): Promise<number> =>
        (
          await fetch(node.url, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}` },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
          })
        ).status
      try {
        for (const runtime of ['bun', 'node', 'deno'] as const satisfies readonly RuntimeName[]) {
          if (!isInstalled(runtime)) continue
          const args = [
            'token',
            'mint',
            `--key=${key}`,
            '--permissions=eth:*',
            '--expires=5m',
            '--username=alice',
          ]
          const { code, out } = await runCommand(args, { runtime })
          expect(code).toBe(0)
          expect(await call(out.trim(), 'eth_chainId')).toBe(200)
          expect(await call(out.trim(), 'net_version')).toBe(401)
        }
      } finally {
        await node.kill()
      }
    }))

describe('given a key or options that sign nothing', () => {
  const other = pemOf(generateKeyPairSync('ed25519').privateKey)
  const short = pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)
  const cases: readonly (readonly [string, string | undefined, readonly string[], string, number])[] = [
    [
      'the file is no key',
      'text',
      ['--permissions=eth:*'],
      'not an unencrypted private key in PEM format',
      1,
    ],
    ['the file is not there', undefined, ['--permissions=eth:*'], 'there is no such file', 1],
    ['the curve is another', other, ['--permissions=eth:*'], 'P-256, P-384 and P-521 are supported', 1],
    ['the RSA key is short', short, ['--permissions=eth:*'], '1024 bits', 1],
    ['the time is none', other, ['--permissions=eth:*', '--expires=soon'], 'is not a time', 2],
    ['the time is too long', other, ['--permissions=eth:*', '--expires=400d'], 'of 366d at most', 2],
    ['a permission is none', other, ['--permissions=eth_call'], 'is not a permission', 2],
    ['nothing is permitted', other, [], '--permissions', 2],
  ]
  for (const [what, text, args, message, exitCode] of cases)
    test(`when ${what}, then the command says so`, () =>
      withFolder(async folder => {
        const path = join(folder, 'key.pem')
        if (text !== undefined) writeFileSync(path, text)
        const { code, error } = await runCommand(['token', 'mint', `--key=${path}`, ...args])
        expect(error).toContain(message)
        expect(code).toBe(exitCode)
      }))
})
