import { equalBytes, ZERO_HASH } from '../bytes/bytes.ts'
import { shareBigint } from '../bytes/integer.ts'
import type { Account, AccountChange, SlotChange, StateChanges } from './account.ts'
import { EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import type { AccountState } from './accountState.ts'
import { hasCode } from './accountState.ts'
import type { ExecutionState } from './executionState.ts'
import { codeOf } from './executionState.ts'
import { isZeroWord, limbsToBytes } from './limbs.ts'
import { changedSlots } from './slots.ts'
import { SLOT_CURRENT, SLOT_KEY, SLOT_LOADED, SLOT_STRIDE } from './storageTable.ts'
import { isDead } from './transaction.ts'

/** Everything that differs from the reader; see `WorldState.changes`. */
export const changesOf = (state: ExecutionState, blockNumber: bigint): StateChanges => {
  const accounts: AccountChange[] = []
  const codes: { codeHash: Uint8Array; code: Uint8Array }[] = []
  for (const account of state.accounts.states) {
    const change = changeOf(state, account, blockNumber)
    if (change === undefined) continue
    accounts.push(change)
    const { before, after } = change
    if (after === undefined || !hasCode(account)) continue
    if (before !== undefined && equalBytes(before.codeHash, after.codeHash)) continue
    if (codes.some(known => equalBytes(known.codeHash, after.codeHash))) continue
    codes.push({ codeHash: after.codeHash, code: codeOf(state, account) })
  }
  return { accounts, codes }
}

const changeOf = (
  state: ExecutionState,
  account: AccountState,
  blockNumber: bigint,
): AccountChange | undefined => {
  const before = account.loaded
  const exists = account.exists && !isDead(state, account)
  if (!exists)
    return before === undefined
      ? undefined
      : { address: account.address, before, after: undefined, slots: NO_SLOTS }
  // A reset that cleared nothing is none: the incarnation goes on.
  const begins =
    before === undefined || (account.storageReset && !equalBytes(before.storageRoot, EMPTY_TRIE_ROOT))
  const slots = slotsOf(account)
  if (!begins && slots.length === 0 && isSame(before, account)) return undefined
  const after: Account = {
    nonce: shareBigint(account.nonce),
    balance: account.balance,
    codeHash: account.codeHash,
    storageRoot: begins ? EMPTY_TRIE_ROOT : before.storageRoot,
    incarnation: begins ? blockNumber : before.incarnation,
  }
  return { address: account.address, before, after, slots }
}

const isSame = (before: Account, account: AccountState): boolean =>
  before.nonce === account.nonce &&
  before.balance === account.balance &&
  equalBytes(before.codeHash, account.codeHash)

const NO_SLOTS: readonly SlotChange[] = []

const slotsOf = (account: AccountState): readonly SlotChange[] => {
  const table = account.storage
  if (table === undefined) return NO_SLOTS
  return changedSlots(table).map(id => {
    const at = id * SLOT_STRIDE
    return {
      slot: limbsToBytes(table.data, at + SLOT_KEY),
      before: wordBytes(table.data, at + SLOT_LOADED),
      after: wordBytes(table.data, at + SLOT_CURRENT),
    }
  })
}

const wordBytes = (data: Int32Array, at: number): Uint8Array =>
  isZeroWord(data, at) ? ZERO_HASH : limbsToBytes(data, at)
