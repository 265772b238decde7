import { describe, expect, test } from 'bun:test'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { Setups } from 'ox/trusted-setups'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { KZG_SETUP_G2_1 } from '../../../../core/evm/precompiles/kzg.ts'
import { contractAt, outputOf, word } from './support.ts'

const contract = contractAt(0x0a)
const G1 = bls12_381.G1.Point
const ORDER = bls12_381.fields.Fr.ORDER
const ANSWER = toBareHex(concatBytes(word(4096), word(ORDER)))

const versionedHash = (commitment: Uint8Array): Uint8Array =>
  Uint8Array.of(1, ...sha256(commitment).subarray(1))

/** The input for the polynomial offset + slope * x, whose proof is the slope itself, at z. */
const linear = (
  offset: bigint,
  slope: bigint,
  z: bigint,
  claim = (offset + slope * z) % ORDER,
): Uint8Array => {
  const secret = G1.fromBytes(Setups.mainnet.g1_monomial.slice(48, 96))
  const commitment = G1.BASE.multiplyUnsafe(offset).add(secret.multiplyUnsafe(slope)).toBytes()
  return concatBytes(
    versionedHash(commitment),
    word(z),
    word(claim),
    commitment,
    G1.BASE.multiplyUnsafe(slope).toBytes(),
  )
}

describe('given KZG point evaluation', () => {
  test('when its setup is read, then it is the ceremony’s point', () => {
    expect(KZG_SETUP_G2_1).toEqual(Setups.mainnet.g2_monomial.slice(96, 192))
  })

  test('when a value has its proof, then it gives the two constants of EIP-4844', () => {
    for (const [offset, slope, z] of [
      [5n, 7n, 11n],
      [0n, 1n, 0n],
      [ORDER - 1n, ORDER - 2n, ORDER - 3n],
      [9n, 0n, 1234n],
      [0n, 0n, 0n],
    ] as const)
      expect(outputOf(contract, linear(offset, slope, z))).toBe(ANSWER)
    expect(contract.gas(new Uint8Array(0))).toBe(50_000)
  })

  test('when the value is another, then it fails', () => {
    expect(outputOf(contract, linear(5n, 7n, 11n, 83n))).toBe('fails')
    expect(outputOf(contract, linear(0n, 0n, 0n, 1n))).toBe('fails')
  })

  test('when numbers are not field elements, then it fails', () => {
    expect(outputOf(contract, linear(5n, 7n, 11n, 82n + ORDER))).toBe('fails')
    expect(outputOf(contract, linear(5n, 0n, 11n + ORDER, 5n))).toBe('fails')
  })

  test('when length, hash or version differ, then it fails', () => {
    const input = linear(5n, 7n, 11n)
    expect(outputOf(contract, input.subarray(1))).toBe('fails')
    expect(outputOf(contract, input, Uint8Array.of(0))).toBe('fails')
    for (const at of [0, 1, 31]) {
      const other = input.slice()
      other[at] = (other[at] as number) ^ 2
      expect(outputOf(contract, other)).toBe('fails')
    }
  })

  test('when the proof is not a point of the group, then it fails', () => {
    const input = linear(5n, 7n, 11n)
    for (const byte of [0x00, 0x40, 0xff]) {
      const other = input.slice()
      other[144] = byte
      expect(outputOf(contract, other)).toBe('fails')
    }
  })
})
