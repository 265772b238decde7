import { equalBytes, ZERO_HASH } from '../../bytes/bytes.ts'
import { sharedBigint } from '../../bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import type { Account } from '../../state/account.ts'
import type { Reader } from './reader.ts'
import type { Writer } from './writer.ts'

/** The codec of a kind of state value (accounts or slots). */
export type ValueCodec<Value> = {
  write(writer: Writer, value: Value): void
  read(reader: Reader): Value
  /** The value of keys that were never written. */
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
      incarnation: sharedBigint(reader.varint()),
      codeHash: (flags & HAS_CODE) === 0 ? EMPTY_CODE_HASH : reader.copy(32),
      storageRoot: (flags & HAS_STORAGE) === 0 ? EMPTY_TRIE_ROOT : reader.copy(32),
    }
  },
  absent: undefined,
}

export const slotCodec: ValueCodec<Uint8Array> = {
  write: (writer, value) => writer.word(value),
  read: reader => reader.word(),
  absent: ZERO_HASH,
}
