import { createReader } from '../codec/reader.ts'
import type { ValueCodec } from '../codec/stateValues.ts'
import { createWriter, type Writer } from '../codec/writer.ts'
import { historyPageKey } from '../keys.ts'
import { HISTORY_DIRECTORY_PAGES, HISTORY_PAGE_CHANGES } from '../limits.ts'

/** One change of a key: its block and the value before. */
export type PastValue<Value> = { readonly block: number; readonly before: Value }

/**
 * The history of one account or slot, stored after its value at the head. The last changes are in `tail`; full pages of
 * older changes have their own keys and never change. `levels[0]` has the last block of each page of changes.
 * HISTORY_DIRECTORY_PAGES of these become a directory page, whose last block goes to `levels[1]`, and so on. Page n of a
 * level is deterministic, so writing it twice is harmless.
 */
export type History<Value> = {
  readonly levels: readonly (readonly number[])[]
  readonly tail: readonly PastValue<Value>[]
}

/** A full page, which must be written before a record refers to it. */
export type HistoryPage = { readonly key: string; readonly value: Uint8Array }

const writeBlocks = (writer: Writer, blocks: readonly number[]): void => {
  writer.varint(blocks.length)
  let last = 0
  for (const block of blocks) {
    writer.varint(block - last)
    last = block
  }
}

const readBlocks = (reader: ReturnType<typeof createReader>): number[] => {
  const blocks: number[] = []
  let last = 0
  for (let count = reader.varint(); count > 0; count--) blocks.push((last += reader.varint()))
  return blocks
}

const writeChanges = <Value>(
  writer: Writer,
  codec: ValueCodec<Value>,
  changes: readonly PastValue<Value>[],
): void => {
  writer.varint(changes.length)
  let last = 0
  for (const { block, before } of changes) {
    writer.varint(block - last)
    codec.write(writer, before)
    last = block
  }
}

const readChanges = <Value>(
  reader: ReturnType<typeof createReader>,
  codec: ValueCodec<Value>,
): PastValue<Value>[] => {
  const changes: PastValue<Value>[] = []
  let block = 0
  for (let count = reader.varint(); count > 0; count--) {
    block += reader.varint()
    changes.push({ block, before: codec.read(reader) })
  }
  return changes
}

export const writeHistory = <Value>(
  writer: Writer,
  codec: ValueCodec<Value>,
  { levels, tail }: History<Value>,
): void => {
  writer.varint(levels.length)
  for (const level of levels) writeBlocks(writer, level)
  writeChanges(writer, codec, tail)
}

export const readHistory = <Value>(bytes: Uint8Array, codec: ValueCodec<Value>): History<Value> => {
  if (bytes.length === 0) return { levels: [], tail: [] }
  const reader = createReader(bytes)
  const levels: number[][] = []
  for (let count = reader.varint(); count > 0; count--) levels.push(readBlocks(reader))
  return { levels, tail: readChanges(reader, codec) }
}

/** The block of the last change; -1 if there was none. */
const lastChange = ({ levels, tail }: History<unknown>): number =>
  tail.at(-1)?.block ??
  levels[0]?.at(-1) ??
  levels.map(level => level.at(-1) ?? -1).reduce((a, b) => Math.max(a, b), -1)

/** The number of pages that were filled on that level. */
const pagesFilled = (levels: readonly (readonly number[])[], level: number): number => {
  const inline = levels[level]
  return inline === undefined ? 0 : inline.length + HISTORY_DIRECTORY_PAGES * pagesFilled(levels, level + 1)
}

/**
 * Appends changes, which are in block order, to the history, and returns the pages that became full. Skips the changes that
 * the history already has.
 */
export const appendHistory = <Value>(
  key: string,
  codec: ValueCodec<Value>,
  history: History<Value>,
  changes: readonly PastValue<Value>[],
): { readonly history: History<Value>; readonly pages: readonly HistoryPage[] } => {
  const known = lastChange(history)
  const levels = history.levels.map(level => [...level])
  let tail = [...history.tail]
  const pages: HistoryPage[] = []
  const refer = (level: number, lastBlock: number): void => {
    const inline = levels[level] ?? []
    levels[level] = inline
    inline.push(lastBlock)
    if (inline.length < HISTORY_DIRECTORY_PAGES) return
    const writer = createWriter()
    writeBlocks(writer, inline)
    levels[level] = []
    pages.push({
      key: historyPageKey(key, level + 1, pagesFilled(levels, level + 1)),
      value: writer.finish(),
    })
    refer(level + 1, lastBlock)
  }
  for (const change of changes) {
    if (change.block <= known) continue
    tail.push(change)
    if (tail.length < HISTORY_PAGE_CHANGES) continue
    const writer = createWriter()
    writeChanges(writer, codec, tail)
    tail = []
    pages.push({ key: historyPageKey(key, 0, pagesFilled(levels, 0)), value: writer.finish() })
    refer(0, change.block)
  }
  return { history: { levels, tail }, pages }
}

/** The history without the changes before block `start` that are not in a page. */
export const trimHistory = <Value>(history: History<Value>, start: number): History<Value> => {
  const { levels, tail } = history
  const [oldest] = tail
  return oldest === undefined || oldest.block >= start
    ? history
    : { levels, tail: tail.filter(({ block }) => block >= start) }
}

/** The first change after the block, in ascending changes. */
const firstAfter = <Value>(
  changes: readonly PastValue<Value>[],
  block: number,
): PastValue<Value> | undefined => {
  for (const change of changes) if (change.block > block) return change
  return undefined
}

/** Index of the first block above `block`, -1 when there is none. */
const indexAfter = (blocks: readonly number[], block: number): number => {
  let low = 0
  let high = blocks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle] as number) > block) high = middle
    else low = middle + 1
  }
  return low === blocks.length ? -1 : low
}

/**
 * The first change after the block: from the tail without a lookup, otherwise with one lookup per level of pages.
 * @param readPage returns a page that the history refers to
 */
export const changeAfter = <Value>(
  key: string,
  codec: ValueCodec<Value>,
  { levels, tail }: History<Value>,
  block: number,
  readPage: (key: string) => Uint8Array,
): PastValue<Value> | undefined => {
  for (let top = levels.length - 1; top >= 0; top--) {
    const inline = indexAfter(levels[top] as readonly number[], block)
    if (inline < 0) continue
    let index = HISTORY_DIRECTORY_PAGES * pagesFilled(levels, top + 1) + inline
    for (let level = top; level > 0; level--) {
      const blocks = readBlocks(createReader(readPage(historyPageKey(key, level, index))))
      index = HISTORY_DIRECTORY_PAGES * index + indexAfter(blocks, block)
    }
    const page = readChanges(createReader(readPage(historyPageKey(key, 0, index))), codec)
    return firstAfter(page, block)
  }
  return firstAfter(tail, block)
}

/**
 * The keys of the pages whose last change is that of `block`, the lowest level first: with that change, all of them are of
 * no further use.
 * @param readPage undefined for a page that an interrupted removal has reached, after those below it
 */
export const pagesEndingAt = async (
  key: string,
  { levels }: Pick<History<unknown>, 'levels'>,
  block: number,
  readPage: (key: string) => Promise<Uint8Array | undefined>,
): Promise<readonly string[]> => {
  for (let top = levels.length - 1; top >= 0; top--) {
    const blocks = levels[top] as readonly number[]
    const inline = indexAfter(blocks, block - 1)
    if (inline < 0) continue
    const ending: string[] = []
    let last = blocks[inline]
    let index = HISTORY_DIRECTORY_PAGES * pagesFilled(levels, top + 1) + inline
    for (let level = top; level > 0; level--) {
      const pageKey = historyPageKey(key, level, index)
      if (last === block) ending.unshift(pageKey)
      const page = await readPage(pageKey)
      if (page === undefined) return ending
      const below = readBlocks(createReader(page))
      const at = indexAfter(below, block - 1)
      last = below[at]
      index = HISTORY_DIRECTORY_PAGES * index + at
    }
    if (last === block) ending.unshift(historyPageKey(key, 0, index))
    return ending
  }
  return []
}
