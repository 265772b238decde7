import { equalBytes, ZERO_HASH } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import { shareBigint } from '../bytes/integer.ts'
import type { Account, AccountChange, SlotChange, StateChanges } from './account.ts'
import { EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import type { AccountState } from './accountState.ts'
import { hasCode } from './accountState.ts'
import type { ExecutionState } from './executionState.ts'
import { codeOf } from './executionState.ts'
import { isZeroWord, limbsToBytes } from './limbs.ts'
import { changedSlots } from './slots.ts'
import { SLOT_CURRENT, SLOT_KEY, SLOT_LOADED, slotData, slotStart } from './storageTable.ts'
import type { StorageTable } from './storageTable.ts'
import { runSteps, type Steps } from '../steps.ts'
import { isDead } from './transaction.ts'

/** Accounts and slots processed between two yields: a millisecond or two. */
const ENTRIES_AT_ONCE = 2048

/** All differences from the reader; see `WorldState.changes`. Yields every ENTRIES_AT_ONCE. */
export function* changesSteps(state: ExecutionState, blockNumber: bigint): Steps<StateChanges> {
  const accounts: AccountChange[] = []
  const codes = new Map<string, { codeHash: Uint8Array; code: Uint8Array }>()
  let sinceYield = 0
  for (const account of state.accounts.states) {
    sinceYield += 1
    const isLarge = (account.storage?.count ?? 0) > ENTRIES_AT_ONCE
    const slots = isLarge ? yield* slotsSteps(account) : undefined
    const change = changeOf(state, account, blockNumber, slots)
    if (sinceYield >= ENTRIES_AT_ONCE) {
      sinceYield = 0
      yield
    }
    if (change === undefined) continue
    accounts.push(change)
    sinceYield += change.slots.length
    const { before, after } = change
    if (after === undefined || !hasCode(account)) continue
    if (before !== undefined && equalBytes(before.codeHash, after.codeHash)) continue
    const key = toBareHex(after.codeHash)
    if (!codes.has(key)) codes.set(key, { codeHash: after.codeHash, code: codeOf(state, account) })
  }
  return { accounts, codes: [...codes.values()] }
}

/** As `changesSteps`, without yielding. */
export const changesOf = (state: ExecutionState, blockNumber: bigint): StateChanges =>
  runSteps(changesSteps(state, blockNumber))

const changeOf = (
  state: ExecutionState,
  account: AccountState,
  blockNumber: bigint,
  knownSlots: readonly SlotChange[] | undefined,
): AccountChange | undefined => {
  const before = account.loaded
  const exists = account.exists && !isDead(state, account)
  if (!exists)
    return before === undefined
      ? undefined
      : { address: account.address, before, after: undefined, slots: NO_SLOTS }
  // A reset that cleared nothing does not count: the incarnation stays.
  const isNewStorage =
    before === undefined || (account.storageReset && !equalBytes(before.storageRoot, EMPTY_TRIE_ROOT))
  const slots = knownSlots ?? slotsOf(account)
  if (!isNewStorage && slots.length === 0 && isSame(before, account)) return undefined
  const after: Account = {
    nonce: shareBigint(account.nonce),
    balance: account.balance,
    codeHash: account.codeHash,
    storageRoot: isNewStorage ? EMPTY_TRIE_ROOT : before.storageRoot,
    incarnation: isNewStorage ? blockNumber : before.incarnation,
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
  return changedSlots(table).map(id => slotChange(table, id))
}

/** As `slotsOf`, in steps. */
function* slotsSteps(account: AccountState): Steps<readonly SlotChange[]> {
  const table = account.storage
  if (table === undefined) return NO_SLOTS
  const slots: SlotChange[] = []
  for (let start = 0; start < table.count; start += ENTRIES_AT_ONCE) {
    if (start > 0) yield
    for (const id of changedSlots(table, start, Math.min(start + ENTRIES_AT_ONCE, table.count)))
      slots.push(slotChange(table, id))
  }
  return slots
}

const slotChange = (table: StorageTable, id: number): SlotChange => {
  const data = slotData(table, id)
  const at = slotStart(id)
  return {
    slot: limbsToBytes(data, at + SLOT_KEY),
    before: wordBytes(data, at + SLOT_LOADED),
    after: wordBytes(data, at + SLOT_CURRENT),
  }
}

const wordBytes = (data: Int32Array, at: number): Uint8Array =>
  isZeroWord(data, at) ? ZERO_HASH : limbsToBytes(data, at)
