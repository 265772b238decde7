import { beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import * as fc from 'fast-check'
import { importPKCS8, SignJWT } from 'jose'
import { type Algorithm, ALGORITHMS } from '../../../../handlers/auth/keys/algorithms.ts'
import { TOKEN_LENGTH_MAX } from '../../../../handlers/auth/createAuthentication.ts'
import { createKeys, createSecp256k1Keys, type KeyPair } from '../keys.ts'
import { accepts, authenticationWith, CLAIMS, NOW_SECONDS, part, type Verifier } from '../tokens.ts'

const keys = new Map<Algorithm, KeyPair>()

beforeAll(async () => {
  for (const algorithm of ALGORITHMS) keys.set(algorithm, await createKeys(algorithm))
})

const pairOf = (algorithm: Algorithm): KeyPair => keys.get(algorithm) as KeyPair

const sign = async (
  claims: Readonly<Record<string, unknown>>,
  algorithm: Algorithm = 'RS256',
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, ...header })
    .sign(await importPKCS8(pairOf(algorithm).privatePem, algorithm))

const verifier = (algorithm: Algorithm = 'RS256', open: readonly string[] = []): Promise<Verifier> =>
  authenticationWith(pairOf(algorithm).publicPem, algorithm, open)

describe.each(ALGORITHMS)('given a key for %s', algorithm => {
  test('then a token signed with it is taken, and the same once more from memory', async () => {
    const node = await verifier(algorithm)
    const token = await sign(CLAIMS, algorithm)
    expect(await accepts(node, token)).toBe(true)
    const again = node.identify(`Bearer ${token}`, () => '')
    expect(again).not.toBeInstanceOf(Promise)
    expect(await again).toMatchObject({ expiresAtMs: CLAIMS.exp * 1000, unauthenticated: false })
  })

  test('then tokens of every other algorithm are refused', async () => {
    const node = await verifier(algorithm)
    for (const other of ALGORITHMS)
      if (other !== algorithm) expect(await accepts(node, await sign(CLAIMS, other))).toBe(false)
  })

  test('then a token of another key of the same kind is refused', async () => {
    const other = await createKeys(algorithm)
    const node = await authenticationWith(other.publicPem, algorithm)
    expect(await accepts(node, await sign(CLAIMS, algorithm))).toBe(false)
  })

  test('then the algorithm none and a lack of signature are refused', async () => {
    const node = await verifier(algorithm)
    for (const alg of ['none', 'None', 'NONE', ''])
      for (const signature of ['', '.', '.AA'])
        expect(await accepts(node, `${part({ alg })}.${part(CLAIMS)}${signature}`)).toBe(false)
    const token = await sign(CLAIMS, algorithm)
    expect(await accepts(node, token.slice(0, token.lastIndexOf('.')))).toBe(false)
    expect(await accepts(node, token.slice(0, token.lastIndexOf('.') + 1))).toBe(false)
  })

  test('then HS256 and its like, signed with the bytes of the public key, are refused', async () => {
    const node = await verifier(algorithm)
    const { publicPem } = pairOf(algorithm)
    const der = Buffer.from(publicPem.replace(/-----[^-]*-----|\s/g, ''), 'base64')
    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
      [algorithm, 'sha256'],
    ] as const)
      for (const secret of [publicPem, publicPem.trim(), der]) {
        const input = `${part({ alg, typ: 'JWT' })}.${part(CLAIMS)}`
        const signature = createHmac(hash, secret).update(input).digest('base64url')
        expect(await accepts(node, `${input}.${signature}`)).toBe(false)
      }
  })
})

describe('given a key on secp256k1 for ES256', () => {
  const pair = createSecp256k1Keys()

  test('then a token signed with it is taken, with either S', async () => {
    const node = await authenticationWith(pair.publicPem, 'ES256')
    const token = pair.sign(CLAIMS)
    expect(await accepts(node, token)).toBe(true)
    const input = token.slice(0, token.lastIndexOf('.'))
    const { r, s } = secp256k1.Signature.fromBytes(pair.signatureOf(input), 'compact')
    const other = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s)
    const high = Buffer.from(other.toBytes('compact')).toString('base64url')
    expect(await accepts(node, `${input}.${high}`)).toBe(true)
  })

  test('then a token on P-256, another key, another algorithm, extensions and a shorter signature are refused', async () => {
    const node = await authenticationWith(pair.publicPem, 'ES256')
    const token = pair.sign(CLAIMS)
    for (const wrong of [
      await sign(CLAIMS, 'ES256'),
      createSecp256k1Keys().sign(CLAIMS),
      pair.sign(CLAIMS, 'ES256K'),
      pair.sign(CLAIMS, 'none'),
      pair.sign(CLAIMS, 'HS256'),
      token.slice(0, -4),
      `${token}AAAA`,
      `${token.slice(0, token.lastIndexOf('.'))}.`,
      `${token.slice(0, token.lastIndexOf('.'))}.${Buffer.alloc(64).toString('base64url')}`,
    ])
      expect(await accepts(node, wrong)).toBe(false)
    for (const header of [
      { alg: 'ES256', crit: ['exp'] },
      { alg: 'ES256', b64: false, crit: ['b64'] },
      { alg: 'ES256', b64: false },
    ]) {
      const input = `${part(header)}.${part(CLAIMS)}`
      const signature = Buffer.from(pair.signatureOf(input)).toString('base64url')
      expect(await accepts(node, `${input}.${signature}`)).toBe(false)
    }
  })
})

describe('given the claims of a token with a valid signature', () => {
  const refused: readonly (readonly [what: string, claims: Readonly<Record<string, unknown>>])[] = [
    ['without exp', { permissions: ['eth:*'] }],
    ['with an exp in text', { ...CLAIMS, exp: String(CLAIMS.exp) }],
    ['that expires this very second', { ...CLAIMS, exp: NOW_SECONDS }],
    ['that has expired', { ...CLAIMS, exp: NOW_SECONDS - 1 }],
    ['that is not yet valid', { ...CLAIMS, nbf: NOW_SECONDS + 1 }],
    ['with an nbf in text', { ...CLAIMS, nbf: 'now' }],
    ['issued in the future', { ...CLAIMS, iat: NOW_SECONDS + 60 }],
    ['without permissions', { exp: CLAIMS.exp }],
    ['with permissions in one text', { ...CLAIMS, permissions: 'eth:*' }],
    ['with permissions as an object', { ...CLAIMS, permissions: { 'eth:*': true } }],
    ['with permissions that are not all texts', { ...CLAIMS, permissions: ['eth:*', 1] }],
  ]
  test.each(refused)('when it is a token %s, then it grants nothing', async (_, claims) => {
    const node = await verifier()
    const identity = await node.identify(`Bearer ${await sign(claims)}`, () => '')
    expect(identity.permits({ name: 'eth_call', permission: 'eth:call' })).toBe(false)
    expect(identity).toMatchObject({ expiresAtMs: undefined, unauthenticated: true })
  })

  test('when it has further claims, no user or a key id, then it is valid', async () => {
    const node = await verifier()
    const { permissions, exp } = CLAIMS
    for (const token of [
      await sign({ permissions, exp }),
      await sign({ permissions, exp, iss: 'x', aud: ['y'], sub: 1, nbf: NOW_SECONDS }),
      await sign({ permissions, exp: exp + 0.5 }),
      await sign(CLAIMS, 'RS256', { kid: 'unknown', typ: 'anything' }),
    ])
      expect(await accepts(node, token)).toBe(true)
  })

  test('when time passes, then it expires at its second, also if it was remembered', async () => {
    const node = await verifier()
    const token = await sign(CLAIMS)
    expect(await accepts(node, token)).toBe(true)
    node.clockMs = CLAIMS.exp * 1000 - 1
    expect(await accepts(node, token)).toBe(true)
    node.clockMs = CLAIMS.exp * 1000
    expect(await accepts(node, token)).toBe(false)
    expect(node.denials).toEqual([])
  })

  test('when the header has critical extensions, then it is refused', async () => {
    const node = await verifier()
    const token = await new SignJWT({ ...CLAIMS })
      .setProtectedHeader({ alg: 'RS256', crit: ['x'], x: 1 })
      .sign(await importPKCS8(pairOf('RS256').privatePem, 'RS256'), { crit: { x: true } })
    expect(await accepts(node, token)).toBe(false)
  })

  test('when it is longer than the limit, then it is refused, and at the limit it is accepted', async () => {
    const node = await verifier()
    const withName = (length: number) => sign({ ...CLAIMS, username: 'x'.repeat(length) })
    const base = (await withName(0)).length
    const longest = Math.floor((TOKEN_LENGTH_MAX - base) * 0.75)
    const token = await withName(longest - 2)
    expect(token.length).toBeLessThanOrEqual(TOKEN_LENGTH_MAX)
    expect(await accepts(node, token)).toBe(true)
    expect(await accepts(node, await withName(longest + 4))).toBe(false)
  })
})

describe('given a token with something changed', () => {
  test('then any changed, removed or added character is refused', async () => {
    const node = await verifier('ES256')
    const token = await sign(CLAIMS, 'ES256')
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom('A', 'B', '_', '-', '.', '=', ' ', '0', 'é'),
        async (at, character) => {
          const changed = token.slice(0, at) + character + token.slice(at + 1)
          // The last character holds bits that no byte has; decoders may pass them over.
          if (changed !== token && at < token.length - 1) expect(await accepts(node, changed)).toBe(false)
          expect(await accepts(node, token.slice(0, at))).toBe(false)
          expect(await accepts(node, `${token}${character}`)).toBe(false)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('then a combination of parts of two tokens is refused', async () => {
    const node = await verifier()
    const weak = await sign({ ...CLAIMS, permissions: [] })
    const strong = await sign({ ...CLAIMS, permissions: ['*:*'], exp: CLAIMS.exp - 600 })
    const [header, , signature] = weak.split('.')
    const [, payload] = strong.split('.')
    expect(await accepts(node, weak)).toBe(false)
    expect(await accepts(node, `${header}.${payload}.${signature}`)).toBe(false)
    const forged = part({ ...CLAIMS, permissions: ['*:*'] })
    expect(await accepts(node, `${header}.${forged}.${signature}`)).toBe(false)
  })
})

describe('given any Authorization header', () => {
  test('then the scheme Bearer in any case, spaces and the token identify the user, and nothing throws', async () => {
    const node = await verifier('ES256')
    const token = await sign(CLAIMS, 'ES256')
    const prefix = fc.oneof(
      fc.constantFrom(
        '',
        'Bearer',
        'bearer ',
        'BEARER ',
        'Bearer  ',
        'Bearer\t',
        ' Bearer ',
        'Basic ',
        'Bearer: ',
      ),
      fc.string({ maxLength: 8 }),
    )
    const suffix = fc.oneof(fc.constantFrom('', ' ', ',', ', x', '\u0000'), fc.string({ maxLength: 4 }))
    await fc.assert(
      fc.asyncProperty(prefix, suffix, async (before, after) => {
        const identity = await node.identify(`${before}${token}${after}`, () => '')
        const isRight = /^bearer +$/i.test(before) && after === ''
        expect(identity.permits({ name: 'eth_call', permission: 'eth:call' })).toBe(isRight)
        expect(identity.unauthenticated).toBe(!isRight)
      }),
      { numRuns: 300 },
    )
  })

  test('then random text after Bearer is no valid token', async () => {
    const node = await verifier('ES256')
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async text => {
        const identity = await node.identify(`Bearer ${text}`, () => '')
        expect(identity.permits({ name: 'eth_call', permission: 'eth:call' })).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test('when there is no token, then the request is refused only if no method is open', async () => {
    const closed = await verifier('ES256')
    const open = await verifier('ES256', ['net_version'])
    expect((await closed.identify(null, () => '')).unauthenticated).toBe(true)
    const nobody = await open.identify(null, () => '')
    expect(nobody.unauthenticated).toBe(false)
    expect(nobody.permits({ name: 'net_version', permission: 'net:version' })).toBe(true)
    expect(nobody.permits({ name: 'net_listening', permission: 'net:listening' })).toBe(false)
    const bad = await open.identify('Bearer x.y.z', () => '')
    expect(bad.permits({ name: 'net_version', permission: 'net:version' })).toBe(true)
  })

  test('then a denial has the user or the reason why there is none, the method and the address', async () => {
    const node = await verifier()
    const needed = { name: 'net_version', permission: 'net:version' }
    const deny = async (authorization: string | null): Promise<void> =>
      (await node.identify(authorization, () => '192.0.2.1')).denied(needed)
    await deny(null)
    await deny(`Bearer ${await sign(CLAIMS)}`)
    await deny(`Bearer ${await sign({ ...CLAIMS, exp: NOW_SECONDS })}`)
    await deny(`Bearer ${await sign({ ...CLAIMS, nbf: NOW_SECONDS + 9 })}`)
    await deny(`Bearer ${(await sign(CLAIMS)).slice(0, -9)}`)
    await deny('Bearer nonsense')
    await deny(`Bearer ${await sign({ permissions: [], exp: CLAIMS.exp })}`)
    expect(node.denials.map(({ who }) => who)).toEqual([
      'nobody (no token)',
      'alice',
      'nobody (the token is expired)',
      'nobody (the token is not yet valid)',
      'nobody (the signature of the token is invalid)',
      'nobody (the token is malformed)',
      'the holder of a token without a name',
    ])
    for (const { what, from } of node.denials) expect([what, from]).toEqual(['net_version', '192.0.2.1'])
  })
})
