import { describe, expect, test } from 'bun:test'
import { fromHex, toBareHex, toHex } from '../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { addressOfPrivateKey, keccak256, sign } from '../../../core/crypto/crypto.ts'
import {
  HALF_ORDER,
  recoverSigner,
  SECP256K1_ORDER,
  signatureFromBytes65,
  signatureToBytes65,
} from '../../../core/crypto/recovery.ts'

const KEY = fromHex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const HASH = keccak256(new TextEncoder().encode('a block to seal'))
const signature = sign(HASH, KEY)
const r = bytesToBigint(signature.r)
const s = bytesToBigint(signature.s)

describe('given a signature', () => {
  test('when the key is a well-known account’s, then so is the address', () => {
    expect(toHex(addressOfPrivateKey(KEY))).toBe(ADDRESS)
  })

  test('when its signer is recovered, then it is the address that signed', () => {
    expect(toHex(recoverSigner(HASH, signature.yParity, r, s) ?? new Uint8Array(0))).toBe(ADDRESS)
  })

  test('when r is small, as a scalar without leading zeros, then it is padded', () => {
    // x = 1 lies on the curve, so r = 1 recovers to some key.
    expect(recoverSigner(HASH, 0, 1n, 1n)?.length).toBe(20)
  })

  test('when s is high, then the other parity gives the same signer', () => {
    expect(s <= HALF_ORDER).toBe(true)
    expect(
      toHex(recoverSigner(HASH, 1 - signature.yParity, r, SECP256K1_ORDER - s) ?? new Uint8Array(0)),
    ).toBe(ADDRESS)
  })

  test('when values are out of range, then there is no signer', () => {
    for (const value of [0n, -1n, SECP256K1_ORDER, 2n ** 256n, 2n ** 300n]) {
      expect(recoverSigner(HASH, 0, value, s)).toBeUndefined()
      expect(recoverSigner(HASH, 0, r, value)).toBeUndefined()
    }
    expect(recoverSigner(HASH, 2, r, s)).toBeUndefined()
  })
})

describe('given 65-byte signatures', () => {
  test('when they are written, then they are r, s and parity, and read back', () => {
    const bytes = signatureToBytes65(signature)
    expect(toBareHex(bytes)).toBe(`${toBareHex(signature.r)}${toBareHex(signature.s)}0${signature.yParity}`)
    expect(signatureFromBytes65(bytes)).toEqual(signature)
  })

  test('when the length or v differ, then they are refused', () => {
    const bytes = signatureToBytes65(signature)
    expect(signatureFromBytes65(bytes.subarray(0, 64))).toBeUndefined()
    expect(signatureFromBytes65(Uint8Array.of(...bytes, 0))).toBeUndefined()
    for (const v of [2, 27, 28, 255]) {
      const other = bytes.slice()
      other[64] = v
      expect(signatureFromBytes65(other)).toBeUndefined()
    }
  })
})

test('given empty input, when it is hashed, then the hashes are the constants of all clients', () => {
  expect(toBareHex(EMPTY_CODE_HASH)).toBe('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
  expect(toBareHex(EMPTY_TRIE_ROOT)).toBe('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
  expect(toBareHex(EMPTY_LIST_HASH)).toBe('1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')
})
