import { equalBytes, type Hash, isZeroBytes, ZERO_HASH } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import { keccak256 } from '../crypto/crypto.ts'
import type { Account, StateReader } from './account.ts'
import { type EditList, editsSince, type StateEdit } from './edits.ts'

/** The values that the edits after one block have set. */
type Edited = {
  /** The edits that the values contain. */
  list: EditList
  readonly accounts: Map<string, Account>
  readonly slots: Map<string, Uint8Array>
  readonly codes: Map<string, Uint8Array>
  /** The number of set slots that are not zero, by account. */
  readonly filled: Map<string, number>
}

/** Blocks whose edited state is kept: tests read that of the head, and a few earlier ones. */
const BLOCKS_MAX = 16

const slotKey = (address: string, slot: Uint8Array): string => `${address}:${toBareHex(slot)}`

const newAccount = (number: bigint): Account => ({
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_TRIE_ROOT,
  incarnation: number,
})

const setSlot = (
  { slots, filled }: Edited,
  address: string,
  { slot, value }: StateEdit & { readonly kind: 'slot' },
): void => {
  const key = slotKey(address, slot)
  const isFilled = (bytes: Uint8Array | undefined): number =>
    bytes === undefined || isZeroBytes(bytes) ? 0 : 1
  filled.set(address, (filled.get(address) ?? 0) - isFilled(slots.get(key)) + isFilled(value))
  slots.set(key, value)
}

/** As `applyEdits` does in the next block. Throws before it changes anything if an account must be loaded first. */
const addEdit = (edited: Edited, below: StateReader, number: bigint, edit: StateEdit): void => {
  const key = toBareHex(edit.address)
  const account = edited.accounts.get(key) ?? below.account(edit.address) ?? newAccount(number + 1n)
  const set = (change: Partial<Account>): void => void edited.accounts.set(key, { ...account, ...change })
  switch (edit.kind) {
    case 'balance':
      return set({ balance: edit.wei })
    case 'nonce':
      return set({ nonce: edit.nonce })
    case 'code': {
      const codeHash = edit.code.length === 0 ? EMPTY_CODE_HASH : keccak256(edit.code)
      edited.codes.set(toBareHex(codeHash), edit.code)
      return set({ codeHash })
    }
    case 'slot':
      setSlot(edited, key, edit)
      return set({})
  }
}

/** Executions read no slot of an account with an empty storage root; the true root is known once a block has the edits. */
const withStorage = (account: Account, filled: number): Account =>
  filled > 0 && equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
    ? { ...account, storageRoot: ZERO_HASH }
    : account

/** The states of a chain with the edits that the next block will contain. */
export type EditedStates = {
  /**
   * The state after block `number`. Storage roots do not include the edits.
   * @param below the state after the block without them
   */
  reader(below: StateReader, number: bigint, editsNow: () => EditList): StateReader
  /** Discards all computed values; called after a rewind, when another block may have the same number. */
  forget(): void
}

/** Computes the values of each edit once, however many readers there are. */
export const createEditedStates = (): EditedStates => {
  const byNumber = new Map<bigint, Edited>()

  const newEdited = (number: bigint): Edited => {
    byNumber.delete(number)
    if (byNumber.size >= BLOCKS_MAX) byNumber.delete(byNumber.keys().next().value as bigint)
    const edited: Edited = {
      list: undefined,
      accounts: new Map(),
      slots: new Map(),
      codes: new Map(),
      filled: new Map(),
    }
    byNumber.set(number, edited)
    return edited
  }

  /** At a read: the state may be edited while a reader exists, and a store may be read within a run only. */
  const editedOf = (below: StateReader, number: bigint, list: EditList): Edited | undefined => {
    if (list === undefined) return undefined
    let edited = byNumber.get(number) ?? newEdited(number)
    if (edited.list === list) return edited
    let added = editsSince(edited.list, list)
    if (added === undefined) {
      edited = newEdited(number)
      added = editsSince(undefined, list) ?? []
    }
    for (const linked of added) {
      addEdit(edited, below, number, linked.edit)
      edited.list = linked
    }
    return edited
  }

  return {
    reader: (below, number, editsNow) => ({
      account: address => {
        const key = toBareHex(address)
        const edited = editedOf(below, number, editsNow())
        const account = edited?.accounts.get(key)
        return account === undefined
          ? below.account(address)
          : withStorage(account, edited?.filled.get(key) ?? 0)
      },
      storage: (address, account, slot) => {
        const own = editedOf(below, number, editsNow())?.slots.get(slotKey(toBareHex(address), slot))
        if (own !== undefined) return own
        // The edits created this account, and its storage began empty.
        return account.incarnation > number ? ZERO_HASH : below.storage(address, account, slot)
      },
      code: (codeHash: Hash) =>
        editedOf(below, number, editsNow())?.codes.get(toBareHex(codeHash)) ?? below.code(codeHash),
    }),
    forget: () => byNumber.clear(),
  }
}
