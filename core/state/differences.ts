import type { Address } from '../bytes/bytes.ts'
import { EMPTY_BYTES, equalBytes } from '../bytes/bytes.ts'
import { EMPTY_CODE_HASH } from '../crypto/constants.ts'
import type { SlotChange } from './account.ts'
import type { AccountState } from './accountState.ts'
import type { ExecutionState } from './executionState.ts'
import { codeOf, takeCheckpoint } from './executionState.ts'
import {
  CHUNK_ENTRIES,
  chunkAt,
  type UndoLog,
  UNDO_BALANCE,
  UNDO_CODE,
  UNDO_EXISTS,
  UNDO_NONCE,
  UNDO_SLOT,
  type UndoneCode,
} from './undoLog.ts'
import { limbsToBytes } from './limbs.ts'
import type { StorageTable } from './storageTable.ts'
import { SLOT_CURRENT, SLOT_KEY, slotData, slotStart } from './storageTable.ts'
import type { WorldState } from './world.ts'
import { executionStateOf } from './worldState.ts'

/** A position in the undo log of a world: number of entries, and words of the newest chunk. */
export type StateMark = { readonly entries: number; readonly words: number }

export type AccountFields = { readonly nonce: bigint; readonly balance: bigint; readonly code: Uint8Array }

/** The changes of one account since a mark. `before` and `after` differ, or `slots` is not empty. */
export type AccountDifference = {
  readonly address: Address
  /** Undefined: did not exist. */
  readonly before: AccountFields | undefined
  /** Undefined: no longer exists. */
  readonly after: AccountFields | undefined
  /** Empty where it no longer exists. */
  readonly slots: readonly SlotChange[]
}

export const markState = (world: WorldState): StateMark => {
  const state = executionStateOf(world)
  // Only after a checkpoint does the undo log record a slot again that was written before.
  return { entries: takeCheckpoint(state), words: state.undoLog.newest.wordsLength }
}

/** The values of an account at the mark, of the fields that were changed since. */
type Earlier = { exists?: boolean; nonce?: bigint; balance?: bigint; code?: UndoneCode }

type WordPosition = { readonly words: Int32Array; readonly at: number }

/** For each written slot, the position of its earlier value in the undo log. */
type EarlierSlots = Map<StorageTable, Map<number, WordPosition>>

const note = (earlier: Earlier, kind: number, previous: unknown): void => {
  if (kind === UNDO_BALANCE) earlier.balance ??= previous as bigint
  else if (kind === UNDO_NONCE) earlier.nonce ??= previous as bigint
  else if (kind === UNDO_EXISTS) earlier.exists ??= previous as boolean
  else if (kind === UNDO_CODE) earlier.code ??= previous as UndoneCode
}

/** Reads the earlier values from the undo log: for each field, the oldest entry counts. */
const readUndoLog = (undoLog: UndoLog, mark: StateMark, slots: EarlierSlots): Map<AccountState, Earlier> => {
  const accounts = new Map<AccountState, Earlier>()
  let words = mark.words
  for (let position = mark.entries; position < undoLog.length; position++) {
    const i = position % CHUNK_ENTRIES
    if (i === 0) words = 0
    const chunk = chunkAt(undoLog, position)
    const kind = chunk.kinds[i] as number
    if (kind === UNDO_SLOT) {
      const table = chunk.subjects[i] as StorageTable
      let known = slots.get(table)
      if (known === undefined) slots.set(table, (known = new Map()))
      const id = chunk.previous[i] as number
      if (!known.has(id)) known.set(id, { words: chunk.words, at: words })
      words += 8
    } else if (kind <= UNDO_EXISTS) {
      const account = chunk.subjects[i] as AccountState
      let earlier = accounts.get(account)
      if (earlier === undefined) accounts.set(account, (earlier = {}))
      note(earlier, kind, chunk.previous[i])
    }
  }
  return accounts
}

const codeBefore = (state: ExecutionState, { codeHash, code }: UndoneCode): Uint8Array => {
  if (code !== undefined) return code
  return equalBytes(codeHash, EMPTY_CODE_HASH) ? EMPTY_BYTES : state.reader.code(codeHash)
}

const slotsSince = (table: StorageTable, written: ReadonlyMap<number, WordPosition>) => {
  const changes: SlotChange[] = []
  for (const [id, before] of written) {
    const data = slotData(table, id)
    const at = slotStart(id)
    if (!equalWordsOf(before.words, before.at, data, at + SLOT_CURRENT))
      changes.push({
        slot: limbsToBytes(data, at + SLOT_KEY),
        before: limbsToBytes(before.words, before.at),
        after: limbsToBytes(data, at + SLOT_CURRENT),
      })
  }
  return changes
}

const equalWordsOf = (a: Int32Array, aAt: number, b: Int32Array, bAt: number): boolean => {
  for (let i = 0; i < 8; i++) if (a[aAt + i] !== b[bAt + i]) return false
  return true
}

const isSame = (a: AccountFields, b: AccountFields): boolean =>
  a.nonce === b.nonce && a.balance === b.balance && equalBytes(a.code, b.code)

/**
 * All differences from the mark, unordered, read from the undo log: the time depends on the changes since the mark, not on
 * the size of the state. The world must not have been reverted to a point before the mark.
 */
export const differencesSince = (world: WorldState, mark: StateMark): AccountDifference[] => {
  const state = executionStateOf(world)
  const { undoLog } = state
  const slotsByTable: EarlierSlots = new Map()
  const accounts = readUndoLog(undoLog, mark, slotsByTable)
  if (slotsByTable.size > 0)
    for (const account of state.accounts.states)
      if (account.storage !== undefined && slotsByTable.has(account.storage) && !accounts.has(account))
        accounts.set(account, {})
  const differences: AccountDifference[] = []
  for (const [account, earlier] of accounts) {
    const now = { nonce: account.nonce, balance: account.balance, code: codeOf(state, account) }
    const existed = earlier.exists ?? account.exists
    const before = existed
      ? {
          nonce: earlier.nonce ?? now.nonce,
          balance: earlier.balance ?? now.balance,
          code: earlier.code === undefined ? now.code : codeBefore(state, earlier.code),
        }
      : undefined
    const after = account.exists ? now : undefined
    const { storage } = account
    const written = storage === undefined || !account.exists ? undefined : slotsByTable.get(storage)
    const slots = written === undefined ? [] : slotsSince(storage as StorageTable, written)
    const isUnchanged = before === undefined || after === undefined ? before === after : isSame(before, after)
    if (!isUnchanged || slots.length > 0) differences.push({ address: account.address, before, after, slots })
  }
  return differences
}
