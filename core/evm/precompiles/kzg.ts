import { bls12_381 as bls } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, equalBytes } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../bytes/integer.ts'
import type { Precompile } from './precompile.ts'

const { Fp12, Fr } = bls.fields
const G1 = bls.G1.Point
type G1Point = InstanceType<typeof G1>

const INPUT_LENGTH = 192
const VERSIONED_HASH_VERSION_KZG = 1
const FIELD_ELEMENTS_PER_BLOB = 4096n

/** The second G2 power of Ethereum's KZG ceremony: the secret times the generator. Checking a proof needs no other. */
export const KZG_SETUP_G2_1: Uint8Array = fromHex(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
)

const OUTPUT = concatBytes(bigintToFixedBytes(FIELD_ELEMENTS_PER_BLOB, 32), bigintToFixedBytes(Fr.ORDER, 32))

type PreparedG2 = ReturnType<typeof bls.utils.calcPairingPrecomputes>
let preparedPoints: { readonly minusOne: PreparedG2; readonly secret: PreparedG2 } | undefined

/** Both G2 sides of every check, made ready at the first. */
const prepared = () => {
  preparedPoints ??= {
    minusOne: bls.utils.calcPairingPrecomputes(bls.G2.Point.BASE.negate()),
    secret: bls.utils.calcPairingPrecomputes(bls.G2.Point.fromBytes(KZG_SETUP_G2_1)),
  }
  return preparedPoints
}

/** The point of G1 in its compressed form, undefined where it is none of the group. */
export const kzgPoint = (bytes: Uint8Array): G1Point | undefined => {
  try {
    return G1.fromBytes(bytes)
  } catch {
    // No canonical encoding of a point of the group: the proof does not hold.
    return undefined
  }
}

/**
 * True when the polynomial under `commitment` has the value `y` at `z` (EIP-4844 `verify_kzg_proof`).
 * e(C - y, 1) = e(proof, secret - z) is checked as e(C - y + z * proof, -1) * e(proof, secret) = 1, which keeps G2 fixed.
 */
export const kzgProofHolds = (commitment: G1Point, z: bigint, y: bigint, proof: G1Point): boolean => {
  const { minusOne, secret } = prepared()
  const left = commitment.subtract(G1.BASE.multiplyUnsafe(y)).add(proof.multiplyUnsafe(z))
  const pairs: [PreparedG2, bigint, bigint][] = []
  if (!left.is0()) {
    const { x, y } = left.toAffine()
    pairs.push([minusOne, x, y])
  }
  if (!proof.is0()) {
    const { x, y } = proof.toAffine()
    pairs.push([secret, x, y])
  }
  return Fp12.eql(Fp12.finalExponentiate(bls.millerLoopBatch(pairs)), Fp12.ONE)
}

/** EIP-4844 point evaluation: versioned hash, z, y, commitment and proof. */
export const KZG_POINT_EVALUATION: Precompile = {
  name: 'KZG_POINT_EVALUATION',
  gas: () => 50_000,
  run: input => {
    if (input.length !== INPUT_LENGTH) return undefined
    const commitmentBytes = input.subarray(96, 144)
    const versionedHash = sha256(commitmentBytes)
    versionedHash[0] = VERSIONED_HASH_VERSION_KZG
    if (!equalBytes(versionedHash, input.subarray(0, 32))) return undefined
    const z = bytesToBigint(input.subarray(32, 64))
    const y = bytesToBigint(input.subarray(64, 96))
    if (z >= Fr.ORDER || y >= Fr.ORDER) return undefined
    const commitment = kzgPoint(commitmentBytes)
    const proof = kzgPoint(input.subarray(144, 192))
    if (commitment === undefined || proof === undefined) return undefined
    return kzgProofHolds(commitment, z, y, proof) ? OUTPUT.slice() : undefined
  },
}
