import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { RlpError, type RlpItem, rlpBytes, rlpList } from '../../rlp/rlp.ts'
import type { Transaction } from '../transaction.ts'
import { encodeEnvelope } from './envelope.ts'
import { withDecodeErrors } from './error.ts'
import { decodePayload, decodeTransaction, transactionOfItems } from './transaction.ts'

/** The blobs, commitments and proofs sent with a blob transaction; views of the decoded bytes. */
export type BlobSidecar = {
  /** 0: one proof for each blob (EIP-4844); 1: 128 cell proofs for each blob (EIP-7594). */
  readonly version: 0 | 1
  /** 131,072 bytes each. */
  readonly blobs: readonly Uint8Array[]
  /** 48 bytes each, one for each blob. */
  readonly commitments: readonly Uint8Array[]
  /** 48 bytes each. */
  readonly proofs: readonly Uint8Array[]
}

export type NetworkTransaction = {
  readonly transaction: Transaction
  /** Undefined unless the bytes were the network form of a blob transaction. */
  readonly sidecar: BlobSidecar | undefined
}

const BLOB_BYTES = 131_072
const KZG_BYTES = 48
const CELL_PROOFS_PER_BLOB = 128

const byteStrings = (item: RlpItem | undefined, what: string, length: number): Uint8Array[] =>
  rlpList(item, what).map(bytes => rlpBytes(bytes, `one of the ${what}`, length))

const decodeSidecar = (items: readonly RlpItem[], blobCount: number): BlobSidecar => {
  const version = items.length === 5 ? 1 : 0
  if (version === 1) {
    const given = rlpBytes(items[1], 'wrapper version', 1)[0]
    if (given !== 1) throw new RlpError(`unknown wrapper version ${given}`)
  }
  const [blobs, commitments, proofs] = items.slice(1 + version)
  const sidecar: BlobSidecar = {
    version,
    blobs: byteStrings(blobs, 'blobs', BLOB_BYTES),
    commitments: byteStrings(commitments, 'commitments', KZG_BYTES),
    proofs: byteStrings(proofs, 'proofs', KZG_BYTES),
  }
  const proofCount = version === 1 ? CELL_PROOFS_PER_BLOB * blobCount : blobCount
  if (sidecar.blobs.length !== blobCount || sidecar.commitments.length !== blobCount)
    throw new RlpError(`${blobCount} blobs and commitments expected, as many as versioned hashes`)
  if (sidecar.proofs.length !== proofCount)
    throw new RlpError(`${proofCount} proofs expected, not ${sidecar.proofs.length}`)
  return sidecar
}

/**
 * Copies the byte fields, except those in lists, which few transactions have. The transaction waits in the pool, and each
 * view would keep a buffer outside JavaScriptCore's heap; a full collection visits all of these at once.
 */
const copied = (transaction: Transaction): Transaction => ({
  ...transaction,
  encoded: transaction.encoded.slice(),
  to: transaction.to?.slice(),
  data: transaction.data.length === 0 ? EMPTY_BYTES : transaction.data.slice(),
})

/**
 * Decodes a transaction as `eth_sendRawTransaction` accepts it: like `decodeTransaction`, and a blob transaction also in its
 * network form, `3 || [fields, blobs, commitments, proofs]` (EIP-4844) or with a wrapper version of 1 after the fields
 * (EIP-7594); `encoded` then is the block form. `encoded`, `to` and `data` of other types are copies. Counts and lengths are
 * checked here, KZG proofs are not.
 * @throws DecodeError
 */
export const decodeNetworkTransaction = (bytes: Uint8Array): NetworkTransaction => {
  if (bytes[0] !== 3) return { transaction: copied(decodeTransaction(bytes)), sidecar: undefined }
  return withDecodeErrors('INVALID_TRANSACTION', 'transaction', () => {
    const items = decodePayload(3, bytes.subarray(1))
    const fields = items[0]
    if (fields === undefined || fields instanceof Uint8Array)
      return { transaction: transactionOfItems(3, items, bytes), sidecar: undefined }
    if (items.length !== 4 && items.length !== 5)
      throw new RlpError(`the network form has 4 or 5 parts, not ${items.length}`)
    const transaction = transactionOfItems(3, fields, encodeEnvelope(3, fields))
    return { transaction, sidecar: decodeSidecar(items, transaction.blobVersionedHashes.length) }
  })
}
