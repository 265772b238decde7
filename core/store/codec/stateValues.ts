import { equalBytes, type Hash, ZERO_HASH } from '../../bytes/bytes.ts'
import { sharedBigint } from '../../bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../crypto/constants.ts'
import type { Account } from '../../state/account.ts'
import { MalformedRecord, type Reader } from './reader.ts'
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

const FLAGS_MAX = EXISTS | HAS_CODE | HAS_STORAGE

/** A hash that is written unless it is the usual one. */
const readHash = (reader: Reader, isWritten: boolean, usual: Hash): Hash => {
  if (!isWritten) return usual
  const hash = reader.copy(32)
  if (equalBytes(hash, usual)) throw new MalformedRecord('a hash that goes without saying')
  return hash
}

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
    if (flags === 0) return undefined
    if ((flags & EXISTS) === 0 || flags > FLAGS_MAX)
      throw new MalformedRecord(`${flags} are no flags of an account`)
    return {
      nonce: reader.integer(),
      balance: reader.integer(),
      incarnation: sharedBigint(reader.varint()),
      codeHash: readHash(reader, (flags & HAS_CODE) !== 0, EMPTY_CODE_HASH),
      storageRoot: readHash(reader, (flags & HAS_STORAGE) !== 0, EMPTY_TRIE_ROOT),
    }
  },
  absent: undefined,
}

export const slotCodec: ValueCodec<Uint8Array> = {
  write: (writer, value) => writer.word(value),
  read: reader => reader.word(),
  absent: ZERO_HASH,
}
