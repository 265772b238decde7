import type { AccountState } from './accountState.ts'
import { copyWord } from './limbs.ts'
import type { StorageTable } from './storageTable.ts'
import { SLOT_CURRENT, SLOT_WARM, slotData, slotStart } from './storageTable.ts'

/**
 * The undo log: how to undo each change since the world was created or its changes were kept, newest last. In chunks,
 * because an array that doubles would copy millions of entries at once.
 */
export type UndoLog = {
  /** Entries of all chunks. */
  length: number
  /** The newest chunk, which is never full. */
  newest: UndoChunk
  /** The earlier chunks, which are full, oldest first. */
  readonly full: UndoChunk[]
}

export type UndoChunk = {
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

/** Entries of a full chunk: its arrays stay below half a megabyte each. */
export const CHUNK_ENTRIES = 16_384

const WORDS_FIRST = 512

/** The words of a chunk without slot changes. */
const NO_WORDS = new Int32Array(0)

const createChunk = (): UndoChunk => ({
  kinds: [],
  subjects: [],
  previous: [],
  words: NO_WORDS,
  wordsLength: 0,
})

export const createUndoLog = (): UndoLog => ({ length: 0, newest: createChunk(), full: [] })

export const record = (
  undoLog: UndoLog,
  kind: number,
  subject: AccountState | StorageTable,
  previous: unknown,
): void => {
  const { newest } = undoLog
  newest.kinds.push(kind)
  newest.subjects.push(subject)
  newest.previous.push(previous)
  if (++undoLog.length % CHUNK_ENTRIES !== 0) return
  undoLog.full.push(newest)
  undoLog.newest = createChunk()
}

/** Records the current value of a slot before it changes. */
export const recordSlot = (undoLog: UndoLog, table: StorageTable, id: number): void => {
  const { newest } = undoLog
  if (newest.wordsLength === newest.words.length) {
    const words = new Int32Array(Math.max(WORDS_FIRST, 2 * newest.words.length))
    words.set(newest.words)
    newest.words = words
  }
  copyWord(slotData(table, id), slotStart(id) + SLOT_CURRENT, newest.words, newest.wordsLength)
  newest.wordsLength += 8
  record(undoLog, UNDO_SLOT, table, id)
}

/** The chunk of entry `position`, which is its entry `position % CHUNK_ENTRIES`. */
export const chunkAt = ({ full, newest }: UndoLog, position: number): UndoChunk =>
  full[Math.floor(position / CHUNK_ENTRIES)] ?? newest

/** The values that an entry of UNDO_CODE restores; `code` is undefined if it was not read. */
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

const undoAccount = (kind: number, account: AccountState, previous: unknown): void => {
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

const undoLast = (undoLog: UndoLog): void => {
  if (undoLog.length % CHUNK_ENTRIES === 0) undoLog.newest = undoLog.full.pop() as UndoChunk
  undoLog.length--
  const { newest } = undoLog
  const kind = newest.kinds.pop() as number
  const subject = newest.subjects.pop() as AccountState | StorageTable
  const previous = newest.previous.pop()
  if (kind === UNDO_SLOT) {
    newest.wordsLength -= 8
    const table = subject as StorageTable
    const id = previous as number
    copyWord(newest.words, newest.wordsLength, slotData(table, id), slotStart(id) + SLOT_CURRENT)
  } else if (kind === UNDO_WARM_SLOT) {
    const id = previous as number
    slotData(subject as StorageTable, id)[slotStart(id) + SLOT_WARM] = 0
  } else undoAccount(kind, subject as AccountState, previous)
}

export const undoTo = (undoLog: UndoLog, length: number): void => {
  while (undoLog.length > length) undoLast(undoLog)
}

/** Drops all entries, so that the changes can no longer be undone. */
export const clearUndoLog = (undoLog: UndoLog): void => {
  if (undoLog.length >= CHUNK_ENTRIES) {
    undoLog.full.length = 0
    undoLog.newest = createChunk()
  } else {
    const { newest } = undoLog
    newest.kinds.length = 0
    newest.subjects.length = 0
    newest.previous.length = 0
    newest.wordsLength = 0
  }
  undoLog.length = 0
}
