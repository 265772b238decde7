import {
  commonEdits,
  type EditList,
  editsSince,
  type StateEdit,
  withEdit,
} from '../../../core/state/edits.ts'
import { type EditStorage, type NumberedEdit, openEditLog } from './editLog.ts'

/** Present and not empty if header values were chosen. */
const HEADERS_KEY = 'development/headers'

/** Edits of the whole chain: some 200 bytes each, more with code. */
const EDITS_MAX = 10_000

/** Changes to the state that no transaction made, by the block after which they were made. */
export type Edits = {
  /** The edits after a block. */
  after(number: bigint): EditList
  /** False when the state or a header of any block was set by hand: no other node accepts or executes its blocks. */
  readonly isEmpty: boolean
  /** Adds an edit after the head. False when there are too many. */
  add(head: bigint, edit: StateEdit): Promise<boolean>
  /** Notes that later headers have values that no rule gives them. */
  noteHeaders(): Promise<void>
  /** Forgets the edits after later blocks, and sets those after this one. */
  goBack(number: bigint, edits: EditList): Promise<void>
}

type Lists = {
  readonly byNumber: Map<bigint, EditList>
  /** The blocks with edits, in ascending order. */
  readonly numbers: bigint[]
}

const append = ({ byNumber, numbers }: Lists, { number, edit }: NumberedEdit): void => {
  if (numbers.at(-1) !== number) numbers.push(number)
  byNumber.set(number, withEdit(byNumber.get(number), edit))
}

/** The number of edits after this block and later ones. */
const countFrom = ({ byNumber, numbers }: Lists, first: bigint): number => {
  let count = 0
  for (let at = numbers.length - 1; (numbers[at] ?? -1n) >= first; at--)
    count += byNumber.get(numbers[at] as bigint)?.length ?? 0
  return count
}

/** Replaces the edits after a block, and forgets those after later ones. */
const replaceFrom = ({ byNumber, numbers }: Lists, first: bigint, edits: EditList): void => {
  while ((numbers.at(-1) ?? -1n) >= first) byNumber.delete(numbers.pop() as bigint)
  if (edits === undefined) return
  numbers.push(first)
  byNumber.set(first, edits)
}

/** Opens the edits of a chain, which are stored beside it. */
export const openEdits = async (storage: EditStorage): Promise<Edits> => {
  const { log, edits: stored } = await openEditLog(storage)
  const lists: Lists = { byNumber: new Map(), numbers: [] }
  for (const edit of stored) append(lists, edit)
  let hasHeaders = ((await storage.get(HEADERS_KEY))?.length ?? 0) > 0

  return {
    after: number => lists.byNumber.get(number),
    get isEmpty() {
      return log.length === 0 && !hasHeaders
    },
    add: async (head, edit) => {
      if (log.length >= EDITS_MAX) return false
      const added = { number: head, edit }
      await log.write(log.length, [added])
      append(lists, added)
      return true
    },
    noteHeaders: async () => {
      if (!hasHeaders) await storage.setDurably({ key: HEADERS_KEY, value: Uint8Array.of(1) })
      hasHeaders = true
    },
    goBack: async (number, edits) => {
      if (hasHeaders && number === 0n) {
        hasHeaders = false
        await storage.setDurably({ key: HEADERS_KEY, value: new Uint8Array() })
      }
      const common = commonEdits(lists.byNumber.get(number), edits)
      const kept = log.length - countFrom(lists, number) + (common?.length ?? 0)
      const added = editsSince(common, edits) ?? []
      await log.write(
        kept,
        added.map(({ edit }) => ({ number, edit })),
      )
      replaceFrom(lists, number, edits)
    },
  }
}
