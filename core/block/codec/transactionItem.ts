import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import type { RlpInput } from '../../rlp/rlp.ts'
import type { Transaction } from '../transaction.ts'

/** The fields of a transaction, without those derived from its encoding. */
export type TransactionFields = Omit<Transaction, 'encoded' | 'hash'>

/** A transaction before it is signed. */
export type UnsignedTransaction = Omit<TransactionFields, 'yParity' | 'r' | 's'>

const to = (fields: UnsignedTransaction): Uint8Array => fields.to ?? EMPTY_BYTES

const accessList = (fields: UnsignedTransaction): RlpInput =>
  fields.accessList.map(entry => [entry.address, entry.storageKeys])

const authorizationList = (fields: UnsignedTransaction): RlpInput =>
  fields.authorizationList.map(({ chainId, address, nonce, yParity, r, s }) => [
    chainId,
    address,
    nonce,
    yParity,
    r,
    s,
  ])

/** The signed fields in the order of the type's EIP; for legacy transactions the six of the Yellow Paper. */
export const unsignedItems = (fields: UnsignedTransaction): RlpInput[] => {
  const chainId = fields.chainId ?? 0n
  const { nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, value, data } = fields
  const market = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to(fields), value, data]
  switch (fields.type) {
    case 0:
      return [nonce, maxFeePerGas, gasLimit, to(fields), value, data]
    case 1:
      return [chainId, nonce, maxFeePerGas, gasLimit, to(fields), value, data, accessList(fields)]
    case 3:
      return [...market, accessList(fields), fields.maxFeePerBlobGas, fields.blobVersionedHashes]
    case 4:
      return [...market, accessList(fields), authorizationList(fields)]
    default:
      return [...market, accessList(fields)]
  }
}

/** The encoded `v`: the y parity of typed transactions; 27, 28 or EIP-155's value of legacy ones. */
export const wireV = (fields: TransactionFields): bigint => {
  const parity = BigInt(fields.yParity)
  if (fields.type !== 0) return parity
  return fields.chainId === undefined ? 27n + parity : 35n + 2n * fields.chainId + parity
}

/** All fields, signature last. */
export const signedItems = (fields: TransactionFields): RlpInput[] => [
  ...unsignedItems(fields),
  wireV(fields),
  fields.r,
  fields.s,
]
