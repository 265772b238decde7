import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importPKCS8, SignJWT } from 'jose'
import { sign as signByJsonwebtoken } from 'jsonwebtoken'
import { type Algorithm, ALGORITHMS } from '../../../handlers/auth/keys/algorithms.ts'
import { createKeys, createSecp256k1Keys, type KeyPair } from '../../handlers/auth/keys.ts'
import { part } from '../../handlers/auth/tokens.ts'
import { withFolder } from '../folder.ts'
import { isInstalled, PROCESS_TEST_TIMEOUT_MS, ROOT, type RuntimeName } from '../nodeProcess.ts'
import { RUNTIME_COMMANDS, RUNTIMES } from '../../support/programs/runtimeCommands.ts'
import type { TokenCase } from './verifyTokens.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const openssl = Bun.which('openssl')

const run = (...command: readonly string[]): void => {
  const { exitCode, stderr } = Bun.spawnSync([...command])
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
}

/** r || s of the DER that openssl writes, each as long as the order of the curve. */
const rawSignature = (der: Uint8Array, length: number): Uint8Array => {
  const raw = new Uint8Array(length * 2)
  // SEQUENCE, its length in one or two bytes.
  let at = (der[1] as number) < 0x80 ? 2 : 3
  for (let half = 0; half < 2; half++) {
    const size = der[at + 1] as number
    const integer = der.subarray(at + 2, at + 2 + size)
    const digits = integer.subarray(Math.max(0, integer.length - length))
    raw.set(digits, (half + 1) * length - digits.length)
    at += 2 + size
  }
  return raw
}

const HALVES: Readonly<Record<string, number>> = { ES256: 32, ES384: 48, ES512: 66 }

/** As a shell does it: a key of `openssl genpkey`, the signing input through `openssl dgst`. */
const byOpenssl = (
  folder: string,
  algorithm: Algorithm,
  genpkey: readonly string[],
  claims: object,
): TokenCase => {
  const file = (name: string): string =>
    join(folder, `${algorithm}-${genpkey.at(-1)?.split(':').at(-1)}-${name}`)
  const program = openssl as string
  run(program, 'genpkey', ...genpkey, '-out', file('key'))
  run(program, 'pkey', '-in', file('key'), '-pubout', '-out', file('public'))
  const input = `${part({ alg: algorithm, typ: 'JWT' })}.${part(claims)}`
  writeFileSync(file('input'), input)
  run(
    program,
    'dgst',
    `-sha${algorithm.slice(2)}`,
    '-sign',
    file('key'),
    '-out',
    file('signature'),
    file('input'),
  )
  const made = readFileSync(file('signature'))
  const half = HALVES[algorithm]
  const signature = half === undefined ? made : rawSignature(made, half)
  return {
    name: `openssl ${algorithm} ${genpkey.at(-1)}`,
    pem: readFileSync(file('public'), 'utf8'),
    algorithm,
    token: `${input}.${Buffer.from(signature).toString('base64url')}`,
  }
}

const OPENSSL_KEYS: readonly (readonly [Algorithm, readonly string[]])[] = [
  ...(['RS256', 'RS384', 'RS512'] as const).map(
    algorithm => [algorithm, ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048']] as const,
  ),
  ...(
    [
      ['ES256', 'P-256'],
      ['ES256', 'secp256k1'],
      ['ES384', 'P-384'],
      ['ES512', 'P-521'],
    ] as const
  ).map(
    ([algorithm, curve]) =>
      [algorithm, ['-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${curve}`]] as const,
  ),
]

const right: TokenCase[] = []
const wrong: TokenCase[] = []

beforeAll(() =>
  withFolder(async folder => {
    const exp = Math.floor(Date.now() / 1000) + 3_600
    const claims = { permissions: ['eth:*'], username: 'alice', exp }
    const keys = new Map<Algorithm, KeyPair>()
    for (const algorithm of ALGORITHMS) {
      const pair = await createKeys(algorithm)
      keys.set(algorithm, pair)
      const key = await importPKCS8(pair.privatePem, algorithm)
      const byJose = (more: object): Promise<string> =>
        new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: algorithm }).sign(key)
      const common = { pem: pair.publicPem, algorithm }
      right.push({ ...common, name: `jose ${algorithm}`, token: await byJose({}) })
      right.push({
        ...common,
        name: `jsonwebtoken ${algorithm}`,
        token: signByJsonwebtoken(claims, pair.privatePem, { algorithm }),
      })
      wrong.push({ ...common, name: `expired ${algorithm}`, token: await byJose({ exp: exp - 7_200 }) })
      wrong.push({ ...common, name: `early ${algorithm}`, token: await byJose({ nbf: exp - 60 }) })
      wrong.push({ ...common, name: `cut ${algorithm}`, token: (await byJose({})).slice(0, -2) })
      wrong.push({ ...common, name: `none ${algorithm}`, token: `${part({ alg: 'none' })}.${part(claims)}.` })
      wrong.push({
        ...common,
        name: `HS256 with the key of ${algorithm}`,
        token: signByJsonwebtoken(claims, Buffer.from(pair.publicPem), { algorithm: 'HS256' }),
      })
    }
    const k1 = createSecp256k1Keys()
    right.push({ name: 'noble secp256k1', pem: k1.publicPem, algorithm: 'ES256', token: k1.sign(claims) })
    const p256 = keys.get('ES256') as KeyPair
    wrong.push({
      name: 'secp256k1 for P-256',
      pem: p256.publicPem,
      algorithm: 'ES256',
      token: k1.sign(claims),
    })
    const p256Token = right.find(({ name }) => name === 'jose ES256')?.token as string
    wrong.push({ name: 'P-256 for secp256k1', pem: k1.publicPem, algorithm: 'ES256', token: p256Token })
    if (openssl !== null)
      for (const [algorithm, genpkey] of OPENSSL_KEYS)
        right.push(byOpenssl(folder, algorithm, genpkey, claims))
  }),
)

/** Names of the tokens that a process of the runtime takes. */
const takenOn = (runtime: RuntimeName, cases: readonly TokenCase[]): Promise<readonly string[]> =>
  withFolder(folder => {
    const path = join(folder, 'cases.json')
    writeFileSync(path, JSON.stringify(cases))
    const program = join(ROOT, 'test/runtime/auth/verifyTokens.ts')
    const { exitCode, stdout, stderr } = Bun.spawnSync([...RUNTIME_COMMANDS[runtime], program, path], {
      cwd: ROOT,
    })
    if (exitCode !== 0) throw new Error(stderr.toString())
    return JSON.parse(stdout.toString()) as readonly string[]
  })

describe.each(RUNTIMES)('tokens of other issuers on %s', runtime => {
  test.skipIf(!isInstalled(runtime))(
    'when they are valid, then they are accepted, and no others',
    async () => {
      expect(right.length).toBe(openssl === null ? 13 : 20)
      if (openssl === null) console.warn('openssl is not installed: its tokens are left out')
      expect(await takenOn(runtime, [...right, ...wrong])).toEqual(right.map(({ name }) => name))
    },
  )
})
