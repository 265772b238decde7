import { type Address, padStartBytes } from '../../core/bytes/bytes.ts'
import { fromHex } from '../../core/bytes/hex.ts'
import type { TransactionFields } from '../../core/block/codec/transactionItem.ts'
import type { AccessListEntry, Authorization, Transaction } from '../../core/block/transaction.ts'
import { decodeTransaction } from '../../core/block/codec/transaction.ts'
import { signTransaction } from '../../core/block/codec/signature.ts'
import { addressOfPrivateKey } from '../../core/crypto/crypto.ts'
import type { GenesisAccount } from '../../core/genesis/configuration.ts'

/** One test of a GeneralStateTest file, as its JSON has it. */
export type StateTestJson = {
  readonly env: Readonly<Record<string, string>>
  readonly pre: Readonly<Record<string, AccountJson>>
  readonly transaction: TransactionJson
  readonly post: Readonly<Record<string, readonly PostJson[]>>
}

type AccountJson = {
  readonly balance: string
  readonly nonce: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}

type AccessListJson = readonly { readonly address: string; readonly storageKeys: readonly string[] }[]

type TransactionJson = {
  readonly data: readonly string[]
  readonly gasLimit: readonly string[]
  readonly value: readonly string[]
  readonly accessLists?: readonly (AccessListJson | null)[]
  readonly authorizationList?: readonly Readonly<Record<string, string>>[]
  readonly blobVersionedHashes?: readonly string[]
  readonly maxFeePerBlobGas?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly gasPrice?: string
  readonly nonce: string
  readonly to: string
  readonly sender?: string
  readonly secretKey?: string
}

export type PostJson = {
  readonly hash: string
  readonly logs: string
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
  readonly txbytes?: string
  readonly expectException?: string
}

/** An integer in hex, however many zeros stand before it; some tests write huge ones as `0x:bigint 0x...`. */
export const integerOf = (text: string): bigint => BigInt(text.replace(/^0x:bigint /, ''))

const wordOf = (text: string): Uint8Array => {
  const digits = text.replace(/^0x/, '')
  return padStartBytes(fromHex(digits.length % 2 === 0 ? digits : `0${digits}`), 32)
}

export const accountsOf = (pre: StateTestJson['pre']): GenesisAccount[] =>
  Object.entries(pre).map(([address, account]) => ({
    address: fromHex(address),
    balance: integerOf(account.balance),
    nonce: integerOf(account.nonce),
    code: fromHex(account.code),
    storage: Object.entries(account.storage).map(([slot, value]) => [wordOf(slot), wordOf(value)] as const),
  }))

const accessListOf = (list: AccessListJson): AccessListEntry[] =>
  list.map(({ address, storageKeys }) => ({
    address: fromHex(address),
    storageKeys: storageKeys.map(wordOf),
  }))

const authorizationOf = (entry: Readonly<Record<string, string>>): Authorization => ({
  chainId: integerOf(entry['chainId'] ?? '0x0'),
  address: fromHex(entry['address'] ?? ''),
  nonce: integerOf(entry['nonce'] ?? '0x0'),
  yParity: integerOf(entry['yParity'] ?? entry['v'] ?? '0x0'),
  r: integerOf(entry['r'] ?? '0x0'),
  s: integerOf(entry['s'] ?? '0x0'),
})

const typeOf = (transaction: TransactionJson, accessList: unknown): Transaction['type'] => {
  if (transaction.authorizationList !== undefined) return 4
  if (transaction.blobVersionedHashes !== undefined || transaction.maxFeePerBlobGas !== undefined) return 3
  if (transaction.maxFeePerGas !== undefined) return 2
  return accessList === undefined || accessList === null ? 0 : 1
}

const unsignedOf = (
  transaction: TransactionJson,
  { indexes }: PostJson,
  chainId: bigint,
): Omit<TransactionFields, 'yParity' | 'r' | 's'> => {
  const accessList = transaction.accessLists?.[indexes.data]
  const type = typeOf(transaction, accessList)
  const maxFeePerGas = integerOf(transaction.maxFeePerGas ?? transaction.gasPrice ?? '0x0')
  return {
    type,
    chainId: type === 0 ? undefined : chainId,
    nonce: integerOf(transaction.nonce),
    maxFeePerGas,
    maxPriorityFeePerGas: type >= 2 ? integerOf(transaction.maxPriorityFeePerGas ?? '0x0') : maxFeePerGas,
    gasLimit: integerOf(transaction.gasLimit[indexes.gas] as string),
    to: transaction.to === '' ? undefined : fromHex(transaction.to),
    value: integerOf(transaction.value[indexes.value] as string),
    data: fromHex(transaction.data[indexes.data] as string),
    accessList: accessListOf(accessList ?? []),
    maxFeePerBlobGas: integerOf(transaction.maxFeePerBlobGas ?? '0x0'),
    blobVersionedHashes: (transaction.blobVersionedHashes ?? []).map(fromHex),
    authorizationList: (transaction.authorizationList ?? []).map(authorizationOf),
  }
}

/** The transaction of one case, from its bytes where the file has them. @throws DecodeError when they are invalid. */
export const transactionOfCase = (test: StateTestJson, post: PostJson, chainId: bigint): Transaction => {
  if (post.txbytes !== undefined) return decodeTransaction(fromHex(post.txbytes))
  const { secretKey } = test.transaction
  if (secretKey === undefined) throw new TypeError('the test has neither txbytes nor a secretKey')
  return signTransaction(unsignedOf(test.transaction, post, chainId), wordOf(secretKey))
}

export const senderOfCase = ({ transaction }: StateTestJson): Address =>
  transaction.sender === undefined
    ? addressOfPrivateKey(wordOf(transaction.secretKey ?? '0x'))
    : fromHex(transaction.sender)
