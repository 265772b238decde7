import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { fromHex, toBareHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { Signature } from '../../../core/crypto/engine.ts'
import { nobleEngine } from '../../../core/crypto/noble.ts'
import { HALF_ORDER, SECP256K1_ORDER } from '../../../core/crypto/recovery.ts'
import { loadWasmEngine } from '../../../core/crypto/wasm/engine.ts'
import { loadNativeEngine } from '../../../runtime/crypto/native.ts'
import { seededRandom } from '../../support/random.ts'

const wasmEngine = await loadWasmEngine(crypto.getRandomValues(new Uint8Array(32)))
/** Undefined on a platform that the addon is not built for. */
const nativeEngine = await loadNativeEngine(wasmEngine).catch(() => undefined)
const FAST_ENGINES = nativeEngine === undefined ? [wasmEngine] : [wasmEngine, nativeEngine]
const ENGINES = [nobleEngine, ...FAST_ENGINES]
const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, 32)

const FIELD_PRIME = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn
const HASH = fromHex('4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45')
const KEY = fromHex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const signed = nobleEngine.sign(HASH, KEY)
const signedS = BigInt(`0x${toBareHex(signed.s)}`)

/** What each engine recovers: the key in hex, or the word none. */
const recovered = (hash: Uint8Array, signature: Signature): string[] =>
  ENGINES.map(engine => {
    const key = engine.recoverPublicKey(hash, signature)
    return key === undefined ? 'none' : toBareHex(key)
  })

const expectSame = (hash: Uint8Array, signature: Signature): string => {
  const [first = '', ...others] = recovered(hash, signature)
  for (const other of others) expect(other).toBe(first)
  return first
}

describe('given keccak-256 on every engine', () => {
  test('when inputs have known hashes, then the results equal them', () => {
    for (const { keccak256 } of ENGINES) {
      expect(toBareHex(keccak256(new Uint8Array(0)))).toBe(
        'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      )
      expect(toBareHex(keccak256(new TextEncoder().encode('abc')))).toBe(
        '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
      )
    }
  })

  test('when lengths go from 0 to 300 and some are long, then the hashes are equal', () => {
    const random = seededRandom(1)
    const lengths = [...Array.from({ length: 301 }, (_, length) => length), 4096, 65_536, 1_000_003]
    for (const length of lengths) {
      const bytes = random.bytes(length)
      expect(wasmEngine.keccak256(bytes)).toEqual(nobleEngine.keccak256(bytes))
    }
  })

  test('when input comes in pieces, even two hashes at a time, then the hash is that of the whole', () => {
    const random = seededRandom(7)
    for (const { createKeccak256 } of ENGINES) {
      for (const lengths of [[], [0], [1, 135], [136, 136], [0, 137, 0, 300], [70_000, 3, 200_000]]) {
        const pieces = lengths.map(length => random.bytes(length))
        const [one, other] = [createKeccak256(), createKeccak256()]
        for (const piece of pieces) {
          one.update(piece)
          other.update(Uint8Array.of(9))
          other.update(piece)
        }
        expect(one.digest()).toEqual(nobleEngine.keccak256(concatBytes(...pieces)))
        const withNines = pieces.flatMap(piece => [Uint8Array.of(9), piece])
        expect(other.digest()).toEqual(nobleEngine.keccak256(concatBytes(...withNines)))
      }
    }
  })

  test('when the input is a view, then only its bytes are hashed', () => {
    const bytes = seededRandom(2).bytes(500)
    const view = bytes.subarray(101, 333)
    for (const { keccak256 } of ENGINES) expect(keccak256(view)).toEqual(keccak256(view.slice()))
  })

  test('when a part is hashed, then its hash alone is written where it belongs', () => {
    const bytes = seededRandom(3).bytes(900)
    for (const engine of ENGINES)
      for (const [start, end] of [
        [0, 0],
        [7, 71],
        [5, 133],
        [1, 137],
        [9, 145],
        [3, 899],
      ] as const) {
        const output = new Uint8Array(40).fill(1)
        engine.keccak256Part(bytes, start, end, output, 5)
        const expected = concatBytes(
          new Uint8Array(5).fill(1),
          nobleEngine.keccak256(bytes.subarray(start, end)),
          new Uint8Array(3).fill(1),
        )
        expect(toBareHex(output)).toBe(toBareHex(expected))
      }
  })

  test('when a part is hashed to words, then they are its hash from its end', () => {
    const bytes = seededRandom(4).bytes(1000)
    const view = new DataView(bytes.buffer, bytes.byteOffset + 3, 900)
    for (const engine of ENGINES)
      for (const [start, end] of [
        [0, 0],
        [7, 71],
        [5, 10],
        [1, 137],
        [9, 151],
        [3, 899],
      ] as const) {
        const words = new Int32Array(10).fill(1)
        engine.keccak256Words(view, start, end, words, 1)
        const digest = nobleEngine.keccak256(bytes.subarray(3 + start, 3 + end))
        const expected = Array.from({ length: 8 }, (_, index) =>
          new DataView(digest.buffer).getInt32(28 - 4 * index),
        )
        expect([...words]).toEqual([1, ...expected, 1])
      }
  })

  test('when the next hash is computed, then the earlier one stays', () => {
    for (const { keccak256 } of ENGINES) {
      const first = keccak256(Uint8Array.of(1))
      const copy = first.slice()
      keccak256(Uint8Array.of(2))
      expect(first).toEqual(copy)
    }
  })
})

describe('given signing on every engine', () => {
  test('when hashes and keys are random, then the low-s signatures are equal and recover to the key', () => {
    const random = seededRandom(3)
    for (let i = 0; i < 60; i++) {
      const hash = random.bytes(32)
      const key = random.bytes(32)
      const signature = nobleEngine.sign(hash, key)
      for (const engine of FAST_ENGINES) expect(engine.sign(hash, key)).toEqual(signature)
      expect(BigInt(`0x${toBareHex(signature.s)}`) <= HALF_ORDER).toBe(true)
      const publicKey = toBareHex(nobleEngine.publicKey(key))
      for (const engine of FAST_ENGINES) expect(toBareHex(engine.publicKey(key))).toBe(publicKey)
      expect(recovered(hash, signature)).toEqual(ENGINES.map(() => publicKey))
    }
  })

  test('when the hash is zero, or at or above the order, then the signatures are equal', () => {
    for (const value of [
      0n,
      1n,
      SECP256K1_ORDER - 1n,
      SECP256K1_ORDER,
      SECP256K1_ORDER + 1n,
      2n ** 256n - 1n,
    ]) {
      const signature = nobleEngine.sign(word(value), KEY)
      for (const engine of FAST_ENGINES) expect(engine.sign(word(value), KEY)).toEqual(signature)
      expect(expectSame(word(value), signature)).toBe(toBareHex(nobleEngine.publicKey(KEY)))
    }
  })

  test('when the key is zero, the order or above, then it is refused', () => {
    for (const engine of ENGINES) {
      for (const value of [0n, SECP256K1_ORDER, 2n ** 256n - 1n]) {
        expect(() => engine.sign(HASH, word(value))).toThrow()
        expect(() => engine.publicKey(word(value))).toThrow()
      }
      expect(engine.publicKey(word(SECP256K1_ORDER - 1n)).length).toBe(64)
    }
  })
})

describe('given recovery on every engine', () => {
  test('when signatures are random, then they recover to the same key, or to none', () => {
    const random = seededRandom(4)
    let keys = 0
    for (let i = 0; i < 100; i++) {
      const signature = { r: random.bytes(32), s: random.bytes(32), yParity: random.below(2) }
      if (expectSame(random.bytes(32), signature) !== 'none') keys++
    }
    // About half of all x have a point on the curve.
    expect(keys).toBeGreaterThan(30)
    expect(keys).toBeLessThan(70)
  })

  test('when r or s is zero, or not below the order or the field prime, then no key is recovered', () => {
    for (const value of [
      0n,
      SECP256K1_ORDER,
      SECP256K1_ORDER + 1n,
      FIELD_PRIME - 1n,
      FIELD_PRIME,
      2n ** 256n - 1n,
    ]) {
      for (const yParity of [0, 1]) {
        expect(recovered(HASH, { ...signed, r: word(value), yParity })).toEqual(ENGINES.map(() => 'none'))
        expect(recovered(HASH, { ...signed, s: word(value), yParity })).toEqual(ENGINES.map(() => 'none'))
      }
    }
  })

  test('when r and s are one or the order less one, then the results are equal', () => {
    for (const r of [1n, SECP256K1_ORDER - 1n]) {
      for (const s of [1n, SECP256K1_ORDER - 1n]) {
        for (const yParity of [0, 1]) expectSame(HASH, { r: word(r), s: word(s), yParity })
      }
    }
  })

  test('when s is high, then with the other parity it is the same key', () => {
    const high = { r: signed.r, s: word(SECP256K1_ORDER - signedS), yParity: 1 - signed.yParity }
    expect(expectSame(HASH, high)).toBe(toBareHex(nobleEngine.publicKey(KEY)))
  })

  test('when the parity is the other, then it is another key', () => {
    const other = expectSame(HASH, { ...signed, yParity: 1 - signed.yParity })
    expect(other).not.toBe('none')
    expect(other).not.toBe(toBareHex(nobleEngine.publicKey(KEY)))
  })

  test('when the parity is not 0 or 1, then no key is recovered', () => {
    for (const yParity of [2, 3, 27, 28, -1, 0.5, Number.NaN]) {
      expect(recovered(HASH, { ...signed, yParity })).toEqual(ENGINES.map(() => 'none'))
    }
  })

  test('when hash, r or s do not have 32 bytes, then no key is recovered', () => {
    for (const length of [0, 31, 33]) {
      const bytes = new Uint8Array(length).fill(1)
      expect(recovered(bytes, signed)).toEqual(ENGINES.map(() => 'none'))
      expect(recovered(HASH, { ...signed, r: bytes })).toEqual(ENGINES.map(() => 'none'))
      expect(recovered(HASH, { ...signed, s: bytes })).toEqual(ENGINES.map(() => 'none'))
    }
  })

  test('when the hash is zero, then it recovers to its key', () => {
    const zero = new Uint8Array(32)
    expect(expectSame(zero, nobleEngine.sign(zero, KEY))).toBe(toBareHex(nobleEngine.publicKey(KEY)))
  })

  test('when the values lead to the point at infinity, then no key is recovered', () => {
    // With s * R = hash * G the key would be infinity: R = G, r its x, and s equal to the hash.
    const r = fromHex('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798')
    expect(recovered(word(12345n), { r, s: word(12345n), yParity: 0 })).toEqual(ENGINES.map(() => 'none'))
  })
})
