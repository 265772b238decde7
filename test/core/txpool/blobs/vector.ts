import { readFileSync } from 'node:fs'
import { sha256 } from '@noble/hashes/sha2.js'
import { fromHex } from '../../../../core/bytes/hex.ts'
import type { BlobSidecar } from '../../../../core/block/codec/networkTransaction.ts'

type Vector = { readonly commitment: string; readonly proof: string; readonly cellProofs: readonly string[] }

/** The result of micro-eth-signer for `BLOB`, with the setup of the mainnet ceremony. */
const { commitment, proof, cellProofs } = JSON.parse(
  readFileSync(new URL('./vector.json', import.meta.url), 'utf8'),
) as Vector

const ELEMENTS = 4096
const ELEMENT_BYTES = 32

/** Element i is the hash of i, without the first byte, so that it is in the field. */
export const BLOB = new Uint8Array(ELEMENTS * ELEMENT_BYTES)
for (let i = 0; i < ELEMENTS; i++) {
  const element = sha256(Uint8Array.of(i & 255, i >> 8))
  element[0] = 0
  BLOB.set(element, i * ELEMENT_BYTES)
}

export const hashOfCommitment = (bytes: Uint8Array): Uint8Array => {
  const hash = sha256(bytes)
  hash[0] = 1
  return hash
}

/** The sidecars of one transaction with that blob, in both forms. */
export const SIDECARS: Readonly<Record<0 | 1, BlobSidecar>> = {
  0: { version: 0, blobs: [BLOB], commitments: [fromHex(commitment)], proofs: [fromHex(proof)] },
  1: { version: 1, blobs: [BLOB], commitments: [fromHex(commitment)], proofs: cellProofs.map(fromHex) },
}

export const HASHES = [hashOfCommitment(fromHex(commitment))]
