import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { sign, useCryptoEngine } from '../../../core/crypto/crypto.ts'
import { loadWasmEngine } from '../../../core/crypto/wasm/engine.ts'
import { encodeG1, encodeG2 } from '../../../core/evm/precompiles/bls12381/bls12381Points.ts'
import { precompileAt } from '../../../core/evm/precompiles/precompiles.ts'
import type { ForkName } from '../../../core/genesis/fork.ts'
import type { Row } from '../measure.ts'
import { microseconds } from './microseconds.ts'

const word = (value: bigint | number): Uint8Array => bigintToFixedBytes(BigInt(value), 32)
const repeat = (count: number, bytes: Uint8Array): Uint8Array =>
  concatBytes(...Array.from({ length: count }, () => bytes))

const HASH = word(12345)
const KEY = word(67890)
const SCALAR = word(0x73eda753299d7d483339d80809a1d80553bda402fffe5bfe1234567890abcdefn)

const ecrecoverInput = (): Uint8Array => {
  const { r, s, yParity } = sign(HASH, KEY)
  return concatBytes(HASH, word(27 + yParity), r, s)
}

/** Full operands of a length in bytes, the modulus odd. */
const modexpInput = (length: number, exponentLength: number): Uint8Array => {
  const lengths = concatBytes(word(length), word(exponentLength), word(length))
  return concatBytes(
    lengths,
    new Uint8Array(length).fill(0x5a),
    new Uint8Array(exponentLength + length).fill(0xa5),
  )
}

const bnPoint = (scalar: bigint): Uint8Array => {
  const { x, y } = bn254.G1.Point.BASE.multiply(scalar).toAffine()
  return concatBytes(word(x), word(y))
}

const bnPair = (): Uint8Array => {
  const { x, y } = bn254.G2.Point.BASE.toAffine()
  return concatBytes(bnPoint(7n), word(x.c1), word(x.c0), word(y.c1), word(y.c0))
}

const blake2fInput = (rounds: number): Uint8Array =>
  concatBytes(word(rounds).subarray(28), new Uint8Array(208).fill(3), Uint8Array.of(1))

/** The constant polynomial: its commitment is the constant, its proof infinity. */
const kzgInput = (): Uint8Array => {
  const commitment = bls12_381.G1.Point.BASE.multiply(5n).toBytes()
  const versionedHash = Uint8Array.of(1, ...sha256(commitment).subarray(1))
  return concatBytes(versionedHash, word(7), word(5), commitment, Uint8Array.of(0xc0), new Uint8Array(47))
}

const p256Input = (): Uint8Array => {
  const signature = p256.sign(HASH, KEY, { prehash: false })
  return concatBytes(HASH, signature, p256.getPublicKey(KEY, false).subarray(1))
}

const cases = (): (readonly [name: string, address: number, input: Uint8Array, fork?: ForkName])[] => {
  const g1 = encodeG1(bls12_381.G1.Point.BASE.multiply(11n))
  const g2 = encodeG2(bls12_381.G2.Point.BASE.multiply(13n))
  return [
    ['ECRECOVER', 0x01, ecrecoverInput()],
    ['SHA256 of 64 KiB', 0x02, new Uint8Array(65_536)],
    ['RIPEMD160 of 64 KiB', 0x03, new Uint8Array(65_536)],
    ['ID of 64 KiB', 0x04, new Uint8Array(65_536)],
    ['MODEXP 8 bytes (Berlin)', 0x05, modexpInput(8, 1024), 'berlin'],
    ['MODEXP 32 bytes (Berlin)', 0x05, modexpInput(32, 32), 'berlin'],
    ['MODEXP 256 bytes (Berlin)', 0x05, modexpInput(256, 256), 'berlin'],
    ['MODEXP 32 bytes', 0x05, modexpInput(32, 32)],
    ['BN254_ADD', 0x06, concatBytes(bnPoint(3n), bnPoint(5n))],
    ['BN254_MUL', 0x07, concatBytes(bnPoint(3n), new Uint8Array(32).fill(0xff))],
    ['BN254_PAIRING of 1', 0x08, bnPair()],
    ['BN254_PAIRING of 4', 0x08, repeat(4, bnPair())],
    ['BLAKE2F of 10,000 rounds', 0x09, blake2fInput(10_000)],
    ['KZG_POINT_EVALUATION', 0x0a, kzgInput()],
    ['BLS12_G1ADD', 0x0b, concatBytes(g1, g1)],
    ['BLS12_G1MSM of 1', 0x0c, concatBytes(g1, SCALAR)],
    ['BLS12_G1MSM of 128', 0x0c, repeat(128, concatBytes(g1, SCALAR))],
    ['BLS12_G2ADD', 0x0d, concatBytes(g2, g2)],
    ['BLS12_G2MSM of 1', 0x0e, concatBytes(g2, SCALAR)],
    ['BLS12_G2MSM of 128', 0x0e, repeat(128, concatBytes(g2, SCALAR))],
    ['BLS12_PAIRING_CHECK of 1', 0x0f, concatBytes(g1, g2)],
    ['BLS12_PAIRING_CHECK of 4', 0x0f, repeat(4, concatBytes(g1, g2))],
    ['BLS12_MAP_FP_TO_G1', 0x10, bigintToFixedBytes(7n, 64)],
    ['BLS12_MAP_FP2_TO_G2', 0x11, concatBytes(bigintToFixedBytes(7n, 64), bigintToFixedBytes(8n, 64))],
    ['P256VERIFY', 0x100, p256Input()],
  ]
}

/** What a unit of time costs with each precompile (Osaka's prices where no other fork is named): the dearer, the safer. */
export const benchPrecompiles = async (): Promise<Row[]> => {
  useCryptoEngine(await loadWasmEngine(crypto.getRandomValues(new Uint8Array(32))))
  return cases().map(([name, address, input, fork = 'osaka']) => {
    const precompile = precompileAt(fork, bigintToFixedBytes(BigInt(address), 20))
    if (precompile?.run(input) === undefined)
      throw new Error(`${name} fails on the input it is measured with`)
    const gas = precompile.gas(input)
    const each = microseconds(() => precompile.run(input))
    return { name, values: { gas: String(gas), µs: each.toFixed(1), 'Mgas/s': (gas / each).toFixed(1) } }
  })
}
