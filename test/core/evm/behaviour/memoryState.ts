import {
  type Address,
  EMPTY_BYTES,
  isZeroBytes,
  padStartBytes,
  ZERO_HASH,
} from '../../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { bigintToBytes } from '../../../../core/bytes/integer.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import type { Account, StateChanges, StateReader } from '../../../../core/state/account.ts'

export const address = (number: bigint | number): Address => padStartBytes(bigintToBytes(BigInt(number)), 20)
export const word = (value: bigint | number): Uint8Array => padStartBytes(bigintToBytes(BigInt(value)), 32)

/** Slots and values of a storage, by number. */
export type Slots = Readonly<Record<string, bigint>>

export type FirstAccount = {
  readonly nonce?: bigint
  readonly balance?: bigint
  readonly code?: Uint8Array
  readonly storage?: Slots
}

export type MemoryState = {
  readonly reader: StateReader
  /** Takes over what a block did. @throws RangeError when a `before` is not what was there. */
  readonly apply: (changes: StateChanges) => void
  /** Every account by address in hex. */
  readonly accounts: ReadonlyMap<string, Account>
  /** The slots an account has now that are not zero. */
  readonly slotsOf: (address: Address) => ReadonlyMap<string, Uint8Array>
}

/** Any root that is not the empty one: what stands for a trie with entries. */
const SOME_ROOT = word(0x50de)

/** A state as a store keeps it: slots by account, incarnation and key, those of older incarnations still in place. */
export const createMemoryState = (first: readonly (readonly [Address, FirstAccount])[] = []): MemoryState => {
  const accounts = new Map<string, Account>()
  const storages = new Map<string, Map<string, Uint8Array>>()
  const codes = new Map<string, Uint8Array>()

  const storageAt = (at: Address, incarnation: bigint): Map<string, Uint8Array> => {
    const key = `${toBareHex(at)}/${incarnation}`
    const known = storages.get(key) ?? new Map<string, Uint8Array>()
    storages.set(key, known)
    return known
  }
  const putSlot = (slots: Map<string, Uint8Array>, slot: Uint8Array, value: Uint8Array): void => {
    if (isZeroBytes(value)) slots.delete(toBareHex(slot))
    else slots.set(toBareHex(slot), value)
  }
  const putCode = (code: Uint8Array): Uint8Array => {
    if (code.length === 0) return EMPTY_CODE_HASH
    const codeHash = keccak256(code)
    codes.set(toBareHex(codeHash), code)
    return codeHash
  }

  for (const [at, { nonce = 0n, balance = 0n, code = EMPTY_BYTES, storage = {} }] of first) {
    const slots = storageAt(at, 0n)
    for (const [slot, value] of Object.entries(storage)) putSlot(slots, word(BigInt(slot)), word(value))
    accounts.set(toBareHex(at), {
      nonce,
      balance,
      codeHash: putCode(code),
      storageRoot: slots.size === 0 ? EMPTY_TRIE_ROOT : SOME_ROOT,
      incarnation: 0n,
    })
  }

  const reader: StateReader = {
    account: at => accounts.get(toBareHex(at)),
    storage: (at, { incarnation }, slot) => storageAt(at, incarnation).get(toBareHex(slot)) ?? ZERO_HASH,
    code: codeHash => {
      const code = codes.get(toBareHex(codeHash))
      if (code === undefined) throw new RangeError(`no code ${toBareHex(codeHash)}`)
      return code
    },
  }

  const apply = (changes: StateChanges): void => {
    for (const { code } of changes.codes) putCode(code)
    for (const { address: at, before, after, slots } of changes.accounts) {
      if (accounts.get(toBareHex(at)) !== before)
        throw new RangeError(`${toBareHex(at)} was not as the change says`)
      if (after === undefined) {
        accounts.delete(toBareHex(at))
        continue
      }
      const kept = storageAt(at, after.incarnation)
      for (const { slot, before: was, after: is } of slots) {
        if (toBareHex(kept.get(toBareHex(slot)) ?? ZERO_HASH) !== toBareHex(was))
          throw new RangeError(`slot ${toBareHex(slot)} was not as the change says`)
        putSlot(kept, slot, is)
      }
      accounts.set(toBareHex(at), { ...after, storageRoot: kept.size === 0 ? EMPTY_TRIE_ROOT : SOME_ROOT })
    }
  }

  return {
    reader,
    apply,
    accounts,
    slotsOf: at => {
      const account = accounts.get(toBareHex(at))
      return account === undefined ? new Map() : storageAt(at, account.incarnation)
    },
  }
}
