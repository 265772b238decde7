import { describe, expect, test } from 'bun:test'
import { createWriter } from '../../../../core/store/codec/writer.ts'
import { slotCodec } from '../../../../core/store/codec/stateValues.ts'
import {
  appendHistory,
  changeAfter,
  type History,
  type PastValue,
  readHistory,
  writeHistory,
} from '../../../../core/store/views/valueHistory.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import { HISTORY_DIRECTORY_PAGES, HISTORY_PAGE_CHANGES } from '../../../../core/store/limits.ts'
import { seededRandom } from '../../../support/random.ts'

const KEY = 's:00'
const EMPTY: History<Uint8Array> = { levels: [], tail: [] }

const value = (number: number): Uint8Array => bigintToFixedBytes(BigInt(number), 32)

/** Changes at increasing blocks with random gaps. */
const changesOf = (count: number, seed: number): readonly PastValue<Uint8Array>[] => {
  const random = seededRandom(seed)
  let block = 0
  return Array.from({ length: count }, (_, index) => {
    block += 1 + random.below(5)
    return { block, before: value(index) }
  })
}

/** The history of the changes, appended in groups and written and read in between, and its pages. */
const built = (
  changes: readonly PastValue<Uint8Array>[],
  seed: number,
): { readonly history: History<Uint8Array>; readonly pages: ReadonlyMap<string, Uint8Array> } => {
  const random = seededRandom(seed)
  const pages = new Map<string, Uint8Array>()
  let history = EMPTY
  for (let at = 0; at < changes.length; ) {
    const count = 1 + random.below(90)
    const appended = appendHistory(KEY, slotCodec, history, changes.slice(at, at + count))
    for (const page of appended.pages) {
      expect(pages.has(page.key)).toBe(false)
      pages.set(page.key, page.value)
    }
    const writer = createWriter()
    writeHistory(writer, slotCodec, appended.history)
    history = readHistory(writer.finish(), slotCodec)
    at += count
  }
  return { history, pages }
}

describe('given the history of a key', () => {
  for (const count of [0, 1, 31, 32, 33, 500, 8191, 8192, 8193, 20_000])
    test(`when it has ${count} changes, then it gives the value after every block from the tail or at most two pages`, () => {
      const changes = changesOf(count, count + 1)
      const { history, pages } = built(changes, 3)
      const lastBlock = changes.at(-1)?.block ?? 0
      let next = 0
      const step = Math.max(1, Math.floor(lastBlock / 3000))
      for (let block = 0; block <= lastBlock + 2; block += step) {
        while (next < changes.length && (changes[next] as PastValue<Uint8Array>).block <= block) next++
        let reads = 0
        const found = changeAfter(KEY, slotCodec, history, block, key => {
          reads++
          return pages.get(key) as Uint8Array
        })
        expect(found).toEqual(changes[next])
        expect(reads).toBeLessThanOrEqual(2)
      }
    })

  test('when changes are appended together or apart, then it is the same', () => {
    const changes = changesOf(9000, 11)
    const a = built(changes, 1)
    const b = built(changes, 2)
    expect(a.history).toEqual(b.history)
    expect(a.pages).toEqual(b.pages)
  })

  test('when it already has some changes, then it skips them', () => {
    const changes = changesOf(100, 5)
    const { history } = built(changes, 1)
    const again = appendHistory(KEY, slotCodec, history, changes.slice(60))
    expect(again.history).toEqual(history)
    expect(again.pages).toEqual([])
  })

  test('when it is long, then it stays small at the head', () => {
    const { history } = built(changesOf(20_000, 8), 4)
    expect(history.tail.length).toBeLessThan(HISTORY_PAGE_CHANGES)
    for (const level of history.levels) expect(level.length).toBeLessThan(HISTORY_DIRECTORY_PAGES)
  })
})
