import type { Address, Hash } from '../../bytes/bytes.ts'
import { bytesToBigint } from '../../bytes/integer.ts'
import { keccak256, sign } from '../../crypto/crypto.ts'
import { recoverSigner } from '../../crypto/recovery.ts'
import type { Transaction } from '../transaction.ts'
import { encodeEnvelope } from './envelope.ts'
import { transactionOf } from './transaction.ts'
import { type TransactionFields, type UnsignedTransaction, unsignedItems } from './transactionItem.ts'

export { SECP256K1_ORDER } from '../../crypto/recovery.ts'

/**
 * The hash that the sender signs: of the EIP-2718 type and the unsigned fields; for a legacy transaction of six fields, and
 * the three of EIP-155.
 */
export const signingHash = (fields: UnsignedTransaction): Hash => {
  const items = unsignedItems(fields)
  if (fields.type === 0 && fields.chainId !== undefined) items.push(fields.chainId, 0, 0)
  return keccak256(encodeEnvelope(fields.type, items))
}

/** The encoding of an unsigned transaction, with zeros for the signature, as in go-ethereum. */
export const unsignedEncoding = (fields: UnsignedTransaction): Uint8Array =>
  encodeEnvelope(fields.type, [...unsignedItems(fields), 0, 0, 0])

/**
 * The sender; undefined when none can be recovered from the signature. High s is accepted here: `signatureIsValid` applies
 * the rules of the fork.
 */
export const recoverSender = (transaction: TransactionFields): Address | undefined =>
  recoverSigner(signingHash(transaction), transaction.yParity, transaction.r, transaction.s)

/** Signs with a 32-byte private key. */
export const signTransaction = (fields: UnsignedTransaction, privateKey: Uint8Array): Transaction => {
  const { r, s, yParity } = sign(signingHash(fields), privateKey)
  return transactionOf({ ...fields, yParity, r: bytesToBigint(r), s: bytesToBigint(s) })
}
