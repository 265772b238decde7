import { pippenger } from '@noble/curves/abstract/curve.js'
import { bls12_381 as bls } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { YieldTurn } from '../../scheduler.ts'
import { concatBytes, equalBytes } from '../../bytes/bytes.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../bytes/integer.ts'
import type { BlobSidecar } from '../../block/codec/networkTransaction.ts'
import type { Transaction } from '../../block/transaction.ts'
import { kzgPoint, kzgProofHolds, VERSIONED_HASH_VERSION_KZG } from '../../evm/precompiles/kzg.ts'
import { BLOB_ELEMENTS, evaluate, polynomialOf, rootAt } from './polynomial.ts'
import { SETUP_G1, SETUP_G2_64 } from './setup.ts'

const { Fr } = bls.fields
const G1 = bls.G1.Point
type Point = InstanceType<typeof G1>

/** EIP-7594. */
const CELLS = 128
const CELLS_BITS = 7
const CELL_ELEMENTS = 64

/** Points added between two pauses. */
const CHUNK = 16

const BLOB_DOMAIN = new TextEncoder().encode('FSBLOBVERIFY_V1_')
const CELL_DOMAIN = new TextEncoder().encode('RCKZGCBATCH__V1_')

const hashToField = (...parts: readonly Uint8Array[]): bigint =>
  bytesToBigint(sha256(concatBytes(...parts))) % Fr.ORDER

const isHashOf = (hash: Uint8Array, commitment: Uint8Array): boolean => {
  const expected = sha256(commitment)
  expected[0] = VERSIONED_HASH_VERSION_KZG
  return equalBytes(hash, expected)
}

/** The sum of each point times its scalar. */
const sum = async (
  points: readonly Point[],
  scalars: readonly bigint[],
  pause: YieldTurn,
): Promise<Point> => {
  let total = G1.ZERO
  for (let at = 0; at < points.length; at += CHUNK) {
    await pause()
    total = total.add(pippenger(G1, points.slice(at, at + CHUNK), scalars.slice(at, at + CHUNK)))
  }
  return total
}

let setup: readonly Point[] | undefined

/** The powers of the setup, decoded at first use. */
const setupPoints = async (pause: YieldTurn): Promise<readonly Point[]> => {
  if (setup !== undefined) return setup
  const points: Point[] = []
  for (const bytes of SETUP_G1) {
    await pause()
    points.push(kzgPoint(bytes) as Point)
  }
  setup = points
  return points
}

type Blob = {
  readonly bytes: Uint8Array
  readonly polynomial: readonly bigint[]
  readonly commitmentBytes: Uint8Array
  readonly commitment: Point
}

/** EIP-4844 `verify_blob_kzg_proof`: the polynomial has the proven value at a point that a hash determines. */
const blobHolds = ({ bytes, polynomial, commitmentBytes, commitment }: Blob, proof: Point): boolean => {
  const degree = bigintToFixedBytes(BigInt(BLOB_ELEMENTS), 16)
  const z = hashToField(BLOB_DOMAIN, degree, bytes, commitmentBytes)
  return kzgProofHolds(commitment, z, evaluate(polynomial, z), proof)
}

/**
 * EIP-7594 `verify_cell_kzg_proof_batch` of all cells of one blob. On cell k, whose points are the roots of X^64 = a, the polynomial
 * is its remainder by X^64 - a, and the proof commits to the quotient q: C - [remainder] = q * (s^64 - a). All 128 are added
 * with powers of a challenge, which is a hash of the checked values.
 */
const cellsHold = async (
  { bytes, polynomial, commitmentBytes, commitment }: Blob,
  proofs: readonly Point[],
  proofBytes: readonly Uint8Array[],
  pause: YieldTurn,
): Promise<boolean> => {
  const challenge = hashToField(CELL_DOMAIN, commitmentBytes, bytes, ...proofBytes)
  const weights: bigint[] = []
  const shifts: bigint[] = []
  let weight = 1n
  for (let cell = 0; cell < CELLS; cell++) {
    weights.push(weight)
    shifts.push(rootAt(cell, CELLS_BITS))
    weight = Fr.mul(weight, challenge)
  }
  // The factor of coefficient 64m + j in coefficient j of the sum of the remainders is the same for every j.
  const remainder = Array<bigint>(CELL_ELEMENTS).fill(0n)
  let powers = weights
  for (let m = 0; m < BLOB_ELEMENTS / CELL_ELEMENTS; m++) {
    const factor = powers.reduce((total, power) => Fr.add(total, power), 0n)
    for (let j = 0; j < CELL_ELEMENTS; j++)
      remainder[j] = Fr.add(
        remainder[j] as bigint,
        Fr.mul(polynomial[m * CELL_ELEMENTS + j] as bigint, factor),
      )
    powers = powers.map((power, cell) => Fr.mul(power, shifts[cell] as bigint))
  }
  const total = weights.reduce((all, one) => Fr.add(all, one), 0n)
  const right = await sum(proofs, weights, pause)
  const shifted = await sum(
    proofs,
    weights.map((one, cell) => Fr.mul(one, shifts[cell] as bigint)),
    pause,
  )
  const left = commitment
    .multiplyUnsafe(total)
    .subtract(await sum(await setupPoints(pause), remainder, pause))
    .add(shifted)
  return pairsCancel(left, right)
}

/** e(left, 1) = e(right, s^64). */
const pairsCancel = (left: Point, right: Point): boolean => {
  const pairs = [
    { g1: left, g2: bls.G2.Point.BASE.negate() },
    { g1: right, g2: bls.G2.Point.fromBytes(SETUP_G2_64) },
  ].filter(({ g1 }) => !g1.is0())
  if (pairs.length === 0) return true
  return bls.fields.Fp12.eql(bls.pairingBatch(pairs), bls.fields.Fp12.ONE)
}

/**
 * True when the blobs belong to the transaction's versioned hashes. These are the hashes of the commitments (EIP-4844), and
 * the proofs, one for each blob or one for each cell (EIP-7594), prove that the commitments belong to the blobs.
 */
export const verifySidecar = async (
  { blobVersionedHashes }: Pick<Transaction, 'blobVersionedHashes'>,
  { version, blobs, commitments, proofs }: BlobSidecar,
  pause: YieldTurn,
): Promise<boolean> => {
  const proofsPerBlob = version === 1 ? CELLS : 1
  for (const [index, bytes] of blobs.entries()) {
    const commitmentBytes = commitments[index] as Uint8Array
    if (!isHashOf(blobVersionedHashes[index] as Uint8Array, commitmentBytes)) return false
    const commitment = kzgPoint(commitmentBytes)
    const polynomial = polynomialOf(bytes)
    if (commitment === undefined || polynomial === undefined) return false
    const blob = { bytes, polynomial, commitmentBytes, commitment }
    const own = proofs.slice(index * proofsPerBlob, (index + 1) * proofsPerBlob)
    const points: Point[] = []
    for (const one of own) {
      await pause()
      const point = kzgPoint(one)
      if (point === undefined) return false
      points.push(point)
    }
    const holds =
      version === 1 ? await cellsHold(blob, points, own, pause) : blobHolds(blob, points[0] as Point)
    if (!holds) return false
  }
  return true
}
