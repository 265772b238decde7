import { type Address, equalBytes, type Hash, ZERO_HASH } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import type { Account, StateReader } from './account.ts'
import type { WorldState } from './world.ts'
import { createWorldState } from './worldState.ts'

/** A change to the state without a transaction; for development chains. */
export type StateEdit = { readonly address: Address } & (
  | { readonly kind: 'balance'; readonly wei: bigint }
  | { readonly kind: 'nonce'; readonly nonce: bigint }
  | { readonly kind: 'code'; readonly code: Uint8Array }
  /** Slot and value have 32 bytes. */
  | { readonly kind: 'slot'; readonly slot: Uint8Array; readonly value: Uint8Array }
)

const applyEdit = (world: WorldState, edit: StateEdit): void => {
  switch (edit.kind) {
    case 'balance':
      return world.setBalance(edit.address, edit.wei)
    case 'nonce':
      return world.setNonce(edit.address, edit.nonce)
    case 'code':
      return world.setCode(edit.address, edit.code)
    case 'slot':
      return world.setStorage(edit.address, edit.slot, edit.value)
  }
}

/** Applies the edits to the world, as part of the block that is executed on it. */
export const applyEdits = (world: WorldState, edits: readonly StateEdit[]): void => {
  for (const edit of edits) applyEdit(world, edit)
  if (edits.length > 0) world.keep()
}

type Edited = {
  readonly accounts: ReadonlyMap<string, Account | undefined>
  readonly slots: ReadonlyMap<string, Uint8Array>
  readonly codes: ReadonlyMap<string, Uint8Array>
}

const slotKey = (address: string, slot: Uint8Array): string => `${address}:${toBareHex(slot)}`

/** Executions read no slot of an account with an empty storage root; the true root is known once a block has the edits. */
const withStorage = (account: Account, hasSlots: boolean): Account =>
  hasSlots && equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
    ? { ...account, storageRoot: ZERO_HASH }
    : account

const edited = (below: StateReader, number: bigint, edits: readonly StateEdit[]): Edited => {
  const world = createWorldState(below)
  applyEdits(world, edits)
  const accounts = new Map<string, Account | undefined>()
  const slots = new Map<string, Uint8Array>()
  const codes = new Map<string, Uint8Array>()
  const changes = world.changes(number)
  for (const { address, after, slots: changed } of changes.accounts) {
    const key = toBareHex(address)
    accounts.set(key, after === undefined ? undefined : withStorage(after, changed.length > 0))
    for (const { slot, after: value } of changed) slots.set(slotKey(key, slot), value)
  }
  for (const { codeHash, code } of changes.codes) codes.set(toBareHex(codeHash), code)
  return { accounts, slots, codes }
}

const NONE = {
  edits: [],
  state: { accounts: new Map(), slots: new Map(), codes: new Map() },
} as const satisfies { readonly edits: readonly StateEdit[]; readonly state: Edited }

/**
 * The state after block `number`, with edits that the next block will contain. Storage roots do not include the edits.
 * @param below the state after the block
 * @param editsNow the edits of that block
 */
export const editedReader = (
  below: StateReader,
  number: bigint,
  editsNow: () => readonly StateEdit[],
): StateReader => {
  let known: { readonly edits: readonly StateEdit[]; readonly state: Edited } = NONE
  // Computed at a read: the state may be edited while the reader exists, and a store may be read within a run only.
  const state = (): Edited => {
    const edits = editsNow()
    if (known.edits !== edits)
      known = edits.length === 0 ? { ...NONE, edits } : { edits, state: edited(below, number + 1n, edits) }
    return known.state
  }
  return {
    account: address => {
      const key = toBareHex(address)
      const { accounts } = state()
      return accounts.has(key) ? accounts.get(key) : below.account(address)
    },
    storage: (address, account, slot) => {
      const own = state().slots.get(slotKey(toBareHex(address), slot))
      if (own !== undefined) return own
      // The edits created this account, and its storage began empty.
      return account.incarnation > number ? ZERO_HASH : below.storage(address, account, slot)
    },
    code: (codeHash: Hash) => state().codes.get(toBareHex(codeHash)) ?? below.code(codeHash),
  }
}
