import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import * as fc from 'fast-check'
import { type Algorithm, ALGORITHMS } from '../../../../handlers/auth/keys/algorithms.ts'
import { firstPemObject } from '../../../../handlers/auth/keys/pem.ts'
import { parsePublicKey, PublicKeyError } from '../../../../handlers/auth/keys/publicKey.ts'
import { createKeys, createSecp256k1Keys, pemOf } from '../keys.ts'

const refusal = (pem: string, algorithm: Algorithm): string => {
  try {
    parsePublicKey(pem, algorithm)
  } catch (error) {
    if (error instanceof PublicKeyError) return error.message
    throw error
  }
  return ''
}

const bytesOf = (pem: string): Uint8Array => firstPemObject(pem)?.bytes as Uint8Array

const rsa = await createKeys('RS256')
const ec = await createKeys('ES256')
const k1 = createSecp256k1Keys()

/** Each kind of key and its algorithms. */
const KINDS: readonly (readonly [name: string, pem: string, fits: readonly Algorithm[]])[] = [
  ['RSA', rsa.publicPem, ['RS256', 'RS384', 'RS512']],
  ['P-256', ec.publicPem, ['ES256']],
  ['secp256k1', k1.publicPem, ['ES256']],
  ['P-384', (await createKeys('ES384')).publicPem, ['ES384']],
  ['P-521', (await createKeys('ES512')).publicPem, ['ES512']],
]

describe('given a public key', () => {
  test.each(KINDS)('when it is %s, then only its algorithms accept it', (name, pem, fits) => {
    for (const algorithm of ALGORITHMS) {
      const text = refusal(pem, algorithm)
      if (fits.includes(algorithm)) expect(text).toBe('')
      else {
        expect(text).toContain(name)
        expect(text).toContain(`${algorithm} cannot use`)
      }
    }
  })

  test('when it has another label, or text around it, then it is read', () => {
    const der = bytesOf(rsa.publicPem)
    expect(refusal(pemOf('CERTIFICATE', der), 'RS256')).toBe('')
    expect(refusal(`# our key\r\n${rsa.publicPem.replaceAll('\n', '\r\n')}more`, 'RS256')).toBe('')
  })

  test('when a second one follows, then the file is refused, because one would be ignored', () => {
    expect(refusal(`${rsa.publicPem}${ec.publicPem}`, 'RS256')).toContain('holds 2 keys')
  })

  test('when an EC point is compressed, then it is the same key', () => {
    const der = bytesOf(ec.publicPem)
    const point = der.subarray(-65)
    const compressed = p256.Point.fromBytes(point).toBytes(true)
    // Both lengths, of the whole and of the bit string, are 32 shorter.
    const head = Uint8Array.from(der.subarray(0, der.length - 65))
    head[1] = (head[1] as number) - 32
    head[head.length - 2] = (head[head.length - 2] as number) - 32
    const pem = pemOf('PUBLIC KEY', Buffer.concat([head, compressed]))
    expect(parsePublicKey(pem, 'ES256')).toEqual(parsePublicKey(ec.publicPem, 'ES256'))
  })

  test('when an RSA key is shorter than 2048 bits, then it is refused with its length', () => {
    for (const bits of [512, 1024, 1536]) {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
      const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
      expect(refusal(pem, 'RS256')).toBe(
        `The authentication public key is an RSA key of ${bits} bits: at least 2048 bits are required`,
      )
    }
  })

  test('when an EC point is not on its curve, then it is refused', () => {
    const der = Uint8Array.from(bytesOf(ec.publicPem))
    der[der.length - 1] = (der[der.length - 1] as number) ^ 1
    expect(refusal(pemOf('PUBLIC KEY', der), 'ES256')).toContain('is not a point on curve P-256')
  })

  test('when it is neither RSA nor on a curve that is known, then it is refused', () => {
    const ed = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string
    expect(refusal(ed, 'ES256')).toContain('neither an RSA nor an EC key')
    const der = Uint8Array.from(bytesOf(ec.publicPem))
    // The last byte of the curve's identifier.
    der[22] = 0x05
    expect(refusal(pemOf('PUBLIC KEY', der), 'ES256')).toContain('on a curve that is not supported')
  })
})

describe('given a private key by mistake', () => {
  const forms = ['rsa', 'ec'].flatMap(kind => {
    const { privateKey } =
      kind === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return (kind === 'rsa' ? (['pkcs8', 'pkcs1'] as const) : (['pkcs8', 'sec1'] as const)).map(
      type => [`${kind} as ${type}`, privateKey.export({ type, format: 'pem' }) as string] as const,
    )
  })

  test.each(forms)('when it is %s, then it is refused with any label, and not shown', (_, pem) => {
    const algorithm = pem.includes('EC') || bytesOf(pem).length < 300 ? 'ES256' : 'RS256'
    const relabelled = pemOf('PUBLIC KEY', bytesOf(pem))
    for (const text of [refusal(pem, algorithm), refusal(relabelled, algorithm)]) {
      expect(text).toStartWith('The authentication public key file holds a private key')
      expect(text).not.toContain(pem.split('\n')[1] as string)
    }
  })
})

describe('given a private key in its own cipher', () => {
  test('then the label tells its kind', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const
    const text = refusal(privateKey.export(options) as string, 'ES256')
    expect(text).toStartWith('The authentication public key file holds a private key')
  })
})

describe('given a file that is not a public key', () => {
  test.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['an empty object', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n'],
    ['an object without an end', rsa.publicPem.replace('-----END', '')],
    ['invalid base64', '-----BEGIN PUBLIC KEY-----\n=A\n-----END PUBLIC KEY-----\n'],
  ])('when it is %s, then Besu’s text says so', (_, pem) => {
    expect(refusal(pem, 'RS256')).toBe('Authentication RPC public key file format is invalid')
  })

  test('when it is PKCS#1, truncated, or followed by other bytes, then the text says which form is needed', () => {
    const der = bytesOf(rsa.publicPem)
    for (const bytes of [der.subarray(24), der.subarray(0, -1), Buffer.concat([der, Buffer.of(0)])])
      expect(refusal(pemOf('RSA PUBLIC KEY', bytes), 'RS256')).toContain('must hold a SubjectPublicKeyInfo')
  })

  test('then any bytes are refused and nothing else is thrown', () => {
    const der = Uint8Array.from(bytesOf(rsa.publicPem))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), bytes => {
        expect(refusal(pemOf('PUBLIC KEY', bytes), 'ES256')).not.toBe('')
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(fc.nat(30), fc.nat(255), (at, byte) => {
        const changed = Uint8Array.from(der)
        changed[at] = byte
        refusal(pemOf('PUBLIC KEY', changed), 'RS256')
      }),
      { numRuns: 500 },
    )
  })
})
