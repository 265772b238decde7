import { equalBytes, ZERO_HASH } from '../../bytes/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import type { Account } from '../../state/account.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** How a kind of state value, accounts or slots, is written. */
export type ValueCodec<Value> = {
  write(writer: Writer, value: Value): void
  read(reader: Reader): Value
  /** What reads give where nothing was ever written. */
  readonly absent: Value
}

const EXISTS = 1
const HAS_CODE = 2
const HAS_STORAGE = 4

export const accountCodec: ValueCodec<Account | undefined> = {
  write: (writer, account) => {
    if (account === undefined) {
      writer.byte(0)
      return
    }
    const code = !equalBytes(account.codeHash, EMPTY_CODE_HASH)
    const storage = !equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
    writer.byte(EXISTS | (code ? HAS_CODE : 0) | (storage ? HAS_STORAGE : 0))
    writer.integer(account.nonce)
    writer.integer(account.balance)
    writer.varint(Number(account.incarnation))
    if (code) writer.raw(account.codeHash)
    if (storage) writer.raw(account.storageRoot)
  },
  read: reader => {
    const flags = reader.byte()
    if ((flags & EXISTS) === 0) return undefined
    return {
      nonce: reader.integer(),
      balance: reader.integer(),
      incarnation: BigInt(reader.varint()),
      codeHash: (flags & HAS_CODE) === 0 ? EMPTY_CODE_HASH : reader.raw(32).slice(),
      storageRoot: (flags & HAS_STORAGE) === 0 ? EMPTY_TRIE_ROOT : reader.raw(32).slice(),
    }
  },
  absent: undefined,
}

/** 32 bytes as their length without leading zeros, and the rest: most slots and values are small numbers. */
export const writeWord = (writer: Writer, word: Uint8Array): void => {
  let start = 0
  while (start < 32 && word[start] === 0) start++
  writer.blob(start === 0 ? word : word.subarray(start))
}

export const readWord = (reader: Reader): Uint8Array => {
  const bytes = reader.blob()
  if (bytes.length === 0) return ZERO_HASH
  const word = new Uint8Array(32)
  word.set(bytes, 32 - bytes.length)
  return word
}

export const slotCodec: ValueCodec<Uint8Array> = {
  write: writeWord,
  read: readWord,
  absent: ZERO_HASH,
}
