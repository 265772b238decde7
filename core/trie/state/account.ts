import type { Address } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { stringLength, writeString } from '../../rlp/write.ts'
import type { Account } from '../../state/account.ts'

const scalarBuffer = new Uint8Array(32)
const scalarView = new DataView(scalarBuffer.buffer)

/** The integer's minimal big-endian bytes, as a view that is valid until the next call. */
const scalar = (value: bigint): Uint8Array => {
  if (value < 0x1_0000_0000_0000_0000n) {
    scalarView.setBigUint64(24, value)
    let start = 24
    while (start < 32 && scalarBuffer[start] === 0) start++
    return scalarBuffer.subarray(start)
  }
  for (let at = 24, rest = value; at >= 0; at -= 8, rest >>= 64n) scalarView.setBigUint64(at, rest)
  return scalarBuffer.subarray(zerosBefore(scalarBuffer))
}

const zerosBefore = (bytes: Uint8Array): number => {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start
}

const accountBuffer = new Uint8Array(2 + 33 + 33 + 33 + 33)

/**
 * The account's value in the state trie: RLP of [nonce, balance, storageRoot, codeHash] (Yellow Paper 4.1), written into
 * the result of `allocate`.
 */
export const accountValue = (
  account: Account,
  allocate: (length: number) => Uint8Array = length => new Uint8Array(length),
): Uint8Array => {
  // Two hashes make the payload 68 bytes or more: the header is always two bytes.
  let at = writeString(accountBuffer, 2, scalar(account.nonce))
  at = writeString(accountBuffer, at, scalar(account.balance))
  at = writeString(accountBuffer, at, account.storageRoot)
  at = writeString(accountBuffer, at, account.codeHash)
  accountBuffer[0] = 0xf8
  accountBuffer[1] = at - 2
  const value = allocate(at)
  for (let i = 0; i < at; i++) value[i] = accountBuffer[i] as number
  return value
}

/** A slot's value in a storage trie: RLP of the value without leading zeros; undefined for zero, which is not stored. */
export const slotValue = (value: Uint8Array): Uint8Array | undefined => {
  // A copy, because a view would move the value's buffer out of JavaScriptCore's heap, and the state keeps the value.
  const bytes = value.slice(zerosBefore(value))
  if (bytes.length === 0) return undefined
  const rlp = new Uint8Array(stringLength(bytes.length, bytes[0]))
  writeString(rlp, 0, bytes)
  return rlp
}

/** Prefix of the record keys of the state trie. */
export const ACCOUNT_KEYS = 't:'

/**
 * Prefix of the record keys of an account's storage trie. A storage that is reset gets another incarnation, so its records
 * never collide with the unreferenced records of the old storage.
 */
export const storageKeys = (address: Address, incarnation: bigint): string =>
  `t:${toBareHex(address)}:${incarnation.toString(16)}:`
