import { bls12_381 as bls } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, equalBytes } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../bytes/integer.ts'
import { runSteps, type Steps } from '../../steps.ts'
import { isPairingIdentitySteps } from './finalExponentiation.ts'
import type { Precompile } from './precompile.ts'

const { Fr } = bls.fields
const G1 = bls.G1.Point
type G1Point = InstanceType<typeof G1>

const INPUT_LENGTH = 192
export const VERSIONED_HASH_VERSION_KZG = 1
const FIELD_ELEMENTS_PER_BLOB = 4096n

/** The second G2 power of Ethereum's KZG ceremony: the secret times the generator. A proof check needs no other power. */
export const KZG_SETUP_G2_1: Uint8Array = fromHex(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
)

const OUTPUT = concatBytes(bigintToFixedBytes(FIELD_ELEMENTS_PER_BLOB, 32), bigintToFixedBytes(Fr.ORDER, 32))

type PreparedG2 = ReturnType<typeof bls.utils.calcPairingPrecomputes>
let preparedPoints: { readonly minusOne: PreparedG2; readonly secret: PreparedG2 } | undefined

/** Prepares the two G2 points of every check, once, in steps: 60 to 90 ms. */
function* preparedSteps(): Steps<NonNullable<typeof preparedPoints>> {
  if (preparedPoints !== undefined) return preparedPoints
  const minusOne = bls.utils.calcPairingPrecomputes(bls.G2.Point.BASE.negate())
  yield
  const point = bls.G2.Point.fromBytes(KZG_SETUP_G2_1)
  yield
  preparedPoints = { minusOne, secret: bls.utils.calcPairingPrecomputes(point) }
  yield
  return preparedPoints
}

/** Decodes a compressed point of G1; undefined when it is not in the group. */
export const kzgPoint = (bytes: Uint8Array): G1Point | undefined => {
  try {
    return G1.fromBytes(bytes)
  } catch {
    // Not a canonical encoding of a point of the group: the proof is invalid.
    return undefined
  }
}

/**
 * True when the polynomial under `commitment` has the value `y` at `z` (EIP-4844 `verify_kzg_proof`). e(C - y, 1) =
 * e(proof, secret - z) is checked as e(C - y + z * proof, -1) * e(proof, secret) = 1, which keeps G2 fixed.
 */
function* proofHoldsSteps(commitment: G1Point, z: bigint, y: bigint, proof: G1Point): Steps<boolean> {
  const { minusOne, secret } = yield* preparedSteps()
  const left = commitment.subtract(G1.BASE.multiplyUnsafe(y)).add(proof.multiplyUnsafe(z))
  yield
  const pairs: [PreparedG2, bigint, bigint][] = []
  if (!left.is0()) {
    const { x, y } = left.toAffine()
    pairs.push([minusOne, x, y])
  }
  if (!proof.is0()) {
    const { x, y } = proof.toAffine()
    pairs.push([secret, x, y])
  }
  const product = bls.millerLoopBatch(pairs)
  yield
  return yield* isPairingIdentitySteps(bls.fields, product)
}

/** As `proofHoldsSteps`, without yielding. */
export const kzgProofHolds = (commitment: G1Point, z: bigint, y: bigint, proof: G1Point): boolean =>
  runSteps(proofHoldsSteps(commitment, z, y, proof))

function* pointEvaluationSteps(input: Uint8Array): Steps<Uint8Array | undefined> {
  if (input.length !== INPUT_LENGTH) return undefined
  const commitmentBytes = input.subarray(96, 144)
  const versionedHash = sha256(commitmentBytes)
  versionedHash[0] = VERSIONED_HASH_VERSION_KZG
  if (!equalBytes(versionedHash, input.subarray(0, 32))) return undefined
  const z = bytesToBigint(input.subarray(32, 64))
  const y = bytesToBigint(input.subarray(64, 96))
  if (z >= Fr.ORDER || y >= Fr.ORDER) return undefined
  const commitment = kzgPoint(commitmentBytes)
  yield
  const proof = kzgPoint(input.subarray(144, 192))
  yield
  if (commitment === undefined || proof === undefined) return undefined
  return (yield* proofHoldsSteps(commitment, z, y, proof)) ? OUTPUT.slice() : undefined
}

/** EIP-4844 point evaluation: versioned hash, z, y, commitment and proof. */
export const KZG_POINT_EVALUATION: Precompile = {
  name: 'KZG_POINT_EVALUATION',
  gas: () => 50_000,
  run: input => runSteps(pointEvaluationSteps(input)),
  steps: pointEvaluationSteps,
}
