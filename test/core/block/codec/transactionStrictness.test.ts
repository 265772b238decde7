import { describe, expect, test } from 'bun:test'
import { fromHex } from '../../../../core/bytes/hex.ts'
import { encodeEnvelope } from '../../../../core/block/codec/envelope.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { recoverSender } from '../../../../core/block/codec/signature.ts'
import { decodeTransaction } from '../../../../core/block/codec/transaction.ts'
import { signatureIsValid } from '../../../../core/evm/transaction/signatureIsValid.ts'
import { encodeRlp, type RlpInput } from '../../../../core/rlp/rlp.ts'

const TO = new Uint8Array(20).fill(0x22)
const HASH = new Uint8Array(32).fill(0x01)
const AUTHORIZATION: readonly RlpInput[] = [1, TO, 0, 1, 5, 6]
const LEGACY: readonly RlpInput[] = [1, 2, 21000, TO, 3, HASH, 27, 5, 6]
const VALID: readonly (readonly RlpInput[])[] = [
  LEGACY,
  [1, 1, 2, 21000, TO, 3, HASH, [[TO, [HASH]]], 1, 5, 6],
  [1, 1, 2, 3, 21000, TO, 3, HASH, [], 0, 5, 6],
  [1, 1, 2, 3, 21000, TO, 3, HASH, [], 4, [HASH], 0, 5, 6],
  [1, 1, 2, 3, 21000, TO, 3, HASH, [], [AUTHORIZATION], 0, 5, 6],
]

const encode = (type: number, items: readonly RlpInput[]): Uint8Array => encodeEnvelope(type, items)
const withItem = (type: number, index: number, item: RlpInput): Uint8Array =>
  encode(type, (VALID[type] as readonly RlpInput[]).with(index, item))

const refused = (bytes: Uint8Array): string => {
  try {
    decodeTransaction(bytes)
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError)
    expect((error as DecodeError).code).toBe('INVALID_TRANSACTION')
    return (error as DecodeError).message
  }
  throw new Error('the transaction was taken')
}

const OVER_64 = 2n ** 64n
const LEADING_ZERO = Uint8Array.of(0)
const LONG = new Uint8Array(33).fill(1)

describe('given decodeTransaction', () => {
  test('when it gets the valid transactions of this file, then none is refused', () => {
    VALID.forEach((items, type) => expect(decodeTransaction(encode(type, items)).type).toBe(type as 0))
  })

  for (const type of [0, 1, 2, 3, 4]) {
    const items = VALID[type] as readonly RlpInput[]
    test(`when type ${type} has a field missing or one too many, then it is refused`, () => {
      expect(refused(encode(type, items.slice(0, -1)))).toContain('fields')
      expect(refused(encode(type, [...items, 0]))).toContain('fields')
      expect(refused(encode(type, []))).toContain('fields')
    })

    test(`when type ${type} has bytes behind its end, or is cut short, then it is refused`, () => {
      const bytes = encode(type, items)
      expect(refused(Uint8Array.of(...bytes, 0))).toContain('unread')
      expect(refused(bytes.subarray(0, -1))).toContain('out of range')
    })

    test(`when type ${type} has a list where bytes belong, or bytes where a list belongs, then it is refused`, () => {
      items.forEach((item, index) => {
        const isList = Array.isArray(item)
        expect(refused(withItem(type, index, isList ? Uint8Array.of(1) : []))).toContain(
          isList ? 'must be a list' : 'must be a byte string',
        )
      })
    })

    test(`when type ${type} has a leading zero in any scalar, then it is refused`, () => {
      items.forEach((item, index) => {
        if (typeof item === 'number')
          expect(refused(withItem(type, index, LEADING_ZERO))).toContain('leading zeros')
      })
    })

    test(`when type ${type} has a scalar above 2^256, or nonce or gas limit above 2^64, then it is refused`, () => {
      items.forEach((item, index) => {
        if (typeof item === 'number') expect(refused(withItem(type, index, LONG))).toContain('longer than')
      })
      expect(refused(withItem(type, type === 0 ? 0 : 1, OVER_64))).toContain('nonce is longer than 8 bytes')
      expect(refused(withItem(type, items.indexOf(21000), OVER_64))).toContain(
        'gasLimit is longer than 8 bytes',
      )
    })

    test(`when type ${type} has a recipient of 19 or 21 bytes, then it is refused`, () => {
      for (const length of [1, 19, 21, 32])
        expect(refused(withItem(type, items.indexOf(TO), new Uint8Array(length).fill(1)))).toContain(
          '20 bytes',
        )
    })
  }

  test('when a legacy v names no signature scheme, then it is refused', () => {
    for (const v of [0, 1, 26, 29, 34]) expect(refused(withItem(0, 6, v))).toContain('v must be')
  })

  test('when a typed transaction has a y parity above 1, then it is refused', () => {
    for (const type of [1, 2, 3, 4]) {
      const index = (VALID[type] as readonly RlpInput[]).length - 3
      expect(refused(withItem(type, index, 2))).toContain('yParity must be 0 or 1')
      expect(refused(withItem(type, index, 27))).toContain('yParity must be 0 or 1')
    }
  })

  test('when a blob transaction has no recipient, then it is refused', () => {
    expect(refused(withItem(3, 5, new Uint8Array(0)))).toContain('to must not be empty')
  })

  test('when access lists, versioned hashes or authorizations have the wrong shape, then it is refused', () => {
    const short = new Uint8Array(19)
    expect(refused(withItem(1, 7, [[short, []]]))).toContain('20 bytes')
    expect(refused(withItem(1, 7, [[TO, [short]]]))).toContain('32 bytes')
    expect(refused(withItem(1, 7, [[TO]]))).toContain('2 fields')
    expect(refused(withItem(1, 7, [TO]))).toContain('must be a list')
    expect(refused(withItem(3, 10, [short]))).toContain('32 bytes')
    expect(refused(withItem(4, 9, [AUTHORIZATION.slice(1)]))).toContain('6 fields')
    expect(refused(withItem(4, 9, [AUTHORIZATION.with(1, short)]))).toContain('20 bytes')
    expect(refused(withItem(4, 9, [AUTHORIZATION.with(2, OVER_64)]))).toContain('longer than 8')
    expect(refused(withItem(4, 9, [AUTHORIZATION.with(3, 256)]))).toContain('longer than 1')
    expect(refused(withItem(4, 9, [AUTHORIZATION.with(4, LONG)]))).toContain('longer than 32')
  })

  test('when the type is unknown, there are no bytes, or a byte string replaces the list, then it is refused', () => {
    for (const first of [0x00, 0x05, 0x7f, 0x80, 0xbf])
      expect(refused(Uint8Array.of(first, 0xc0))).toContain(`type ${first} is unknown`)
    expect(refused(new Uint8Array(0))).toContain('no bytes')
    expect(refused(Uint8Array.of(1, 0x80))).toContain('must be a list')
  })

  test('when the RLP is not canonical, then it is refused', () => {
    const legacy = encodeRlp(LEGACY)
    // The list's length written with one byte more than needed.
    const long = Uint8Array.of(0xf9, 0, ...legacy.subarray(1))
    expect(refused(long)).toContain('leading zeros')
    expect(refused(fromHex('c98101028082c3508080801b0506'))).toContain('transaction')
  })

  test('when lists nest deeper than the limit, then it is refused', () => {
    let nested: RlpInput = []
    for (let depth = 0; depth < 40; depth++) nested = [nested]
    expect(refused(encode(1, [nested]))).toContain('nest deeper')
  })
})

describe('given signatureIsValid', () => {
  const N = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
  const check = (r: bigint, s: bigint, fork: 'frontier' | 'homestead' | 'osaka'): boolean =>
    signatureIsValid({ r, s }, { fork })

  test('when r and s vary, then they must be between 1 and the order of the curve', () => {
    for (const fork of ['frontier', 'homestead', 'osaka'] as const) {
      expect(check(1n, 1n, fork)).toBe(true)
      expect(check(N - 1n, 1n, fork)).toBe(true)
      for (const bad of [0n, N, N + 1n, 2n ** 256n - 1n]) {
        expect(check(bad, 1n, fork)).toBe(false)
        expect(check(1n, bad, fork)).toBe(false)
      }
    }
  })

  test('when s is high, then it is valid before Homestead alone', () => {
    expect(check(1n, N / 2n, 'homestead')).toBe(true)
    expect(check(1n, N / 2n + 1n, 'homestead')).toBe(false)
    expect(check(1n, N / 2n + 1n, 'osaka')).toBe(false)
    expect(check(1n, N / 2n + 1n, 'frontier')).toBe(true)
  })

  test('when the signature is invalid, then there is no sender', () => {
    expect(recoverSender(decodeTransaction(withItem(0, 7, 0)))).toBeUndefined()
    expect(recoverSender(decodeTransaction(withItem(0, 8, N)))).toBeUndefined()
  })
})
