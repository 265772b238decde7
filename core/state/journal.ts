import type { AccountState } from './accountState.ts'
import { copyWord } from './limbs.ts'
import type { StorageTable } from './storageTable.ts'
import { SLOT_CURRENT, SLOT_STRIDE, SLOT_WARM } from './storageTable.ts'

/** How to undo each change since the world was made or its changes were kept, newest last. */
export type Journal = {
  readonly kinds: number[]
  readonly subjects: (AccountState | StorageTable)[]
  readonly previous: unknown[]
  /** Slot values before their changes, eight limbs each, in the order of their entries. */
  words: Int32Array
  wordsLength: number
}

export const UNDO_BALANCE = 0
export const UNDO_NONCE = 1
export const UNDO_CODE = 2
export const UNDO_EXISTS = 3
export const UNDO_STORAGE = 4
export const UNDO_SLOT = 5
export const UNDO_WARM_ACCOUNT = 6
export const UNDO_WARM_SLOT = 7
export const UNDO_TOUCH = 8
export const UNDO_CREATED = 9
export const UNDO_DESTROYED = 10

const WORDS_FIRST = 512

/** A call that only reads needs none. */
const NO_WORDS = new Int32Array(0)

export const createJournal = (): Journal => ({
  kinds: [],
  subjects: [],
  previous: [],
  words: NO_WORDS,
  wordsLength: 0,
})

export const record = (
  journal: Journal,
  kind: number,
  subject: AccountState | StorageTable,
  previous: unknown,
): void => {
  journal.kinds.push(kind)
  journal.subjects.push(subject)
  journal.previous.push(previous)
}

/** Notes the current value of a slot before it changes. */
export const recordSlot = (journal: Journal, table: StorageTable, id: number): void => {
  if (journal.wordsLength === journal.words.length) {
    const words = new Int32Array(Math.max(WORDS_FIRST, 2 * journal.words.length))
    words.set(journal.words)
    journal.words = words
  }
  copyWord(table.data, id * SLOT_STRIDE + SLOT_CURRENT, journal.words, journal.wordsLength)
  journal.wordsLength += 8
  record(journal, UNDO_SLOT, table, id)
}

/** What an entry of UNDO_CODE goes back to; `code` is undefined as long as nobody asked for it. */
export type UndoneCode = { readonly codeHash: Uint8Array; readonly code: Uint8Array | undefined }

const undoCode = (account: AccountState, previous: UndoneCode) => {
  account.codeHash = previous.codeHash
  account.code = previous.code
  account.program = undefined
}

const undoStorage = (
  account: AccountState,
  previous: { storage: StorageTable | undefined; storageReset: boolean },
) => {
  account.storage = previous.storage
  account.storageReset = previous.storageReset
}

const undoLast = (journal: Journal): void => {
  const kind = journal.kinds.pop() as number
  const subject = journal.subjects.pop() as AccountState | StorageTable
  const previous = journal.previous.pop()
  if (kind === UNDO_SLOT) {
    journal.wordsLength -= 8
    const at = (previous as number) * SLOT_STRIDE + SLOT_CURRENT
    copyWord(journal.words, journal.wordsLength, (subject as StorageTable).data, at)
    return
  }
  if (kind === UNDO_WARM_SLOT) {
    ;(subject as StorageTable).data[(previous as number) * SLOT_STRIDE + SLOT_WARM] = 0
    return
  }
  const account = subject as AccountState
  switch (kind) {
    case UNDO_BALANCE:
      account.balance = previous as bigint
      account.balanceWord = undefined
      return
    case UNDO_NONCE:
      account.nonce = previous as bigint
      return
    case UNDO_CODE:
      undoCode(account, previous as UndoneCode)
      return
    case UNDO_EXISTS:
      account.exists = previous as boolean
      return
    case UNDO_STORAGE:
      undoStorage(account, previous as Parameters<typeof undoStorage>[1])
      return
    case UNDO_WARM_ACCOUNT:
      account.warmTx = 0
      return
    case UNDO_TOUCH:
      account.touchedTx = 0
      return
    case UNDO_CREATED:
      account.createdTx = 0
      return
    case UNDO_DESTROYED:
      account.destroyedTx = 0
      return
    default:
      throw new RangeError(`no undo of kind ${kind}`)
  }
}

export const undoTo = (journal: Journal, length: number): void => {
  while (journal.kinds.length > length) undoLast(journal)
}

/** Nothing before can be undone any more. */
export const forgetAll = (journal: Journal): void => {
  journal.kinds.length = 0
  journal.subjects.length = 0
  journal.previous.length = 0
  journal.wordsLength = 0
}
