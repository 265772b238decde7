import { expect, test } from 'bun:test'
import { slotCodec } from '../../../../core/store/codec/stateValues.ts'
import {
  appendHistory,
  changeAfter,
  type History,
  pagesEndingAt,
  type PastValue,
  trimHistory,
} from '../../../../core/store/views/valueHistory.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'

const KEY = `s:${'1'.repeat(120)}`
const CHANGES = 20_000
const STEP = 1_000

test('given a history with pages of pages, when its changes are removed from the first on, then each page goes with its last change, and later changes read as before', async () => {
  const stored = new Map<string, Uint8Array>()
  let history: History<Uint8Array> = { levels: [], tail: [] }
  const valueAt = (block: number): Uint8Array => bigintToFixedBytes(BigInt(block + 1), 32)
  for (let at = 0; at < CHANGES; at += STEP) {
    const changes: PastValue<Uint8Array>[] = Array.from({ length: STEP }, (_, index) => ({
      block: 3 * (at + index),
      before: valueAt(at + index),
    }))
    const { history: next, pages } = appendHistory(KEY, slotCodec, history, changes)
    for (const { key, value } of pages) stored.set(key, value)
    history = next
  }
  const read = async (key: string) => stored.get(key)
  for (let change = 0; change < CHANGES; change++) {
    for (const key of await pagesEndingAt(KEY, history, 3 * change, read))
      expect(stored.delete(key)).toBe(true)
    history = trimHistory(history, 3 * change + 1)
    if (change % 997 !== 0 && change < CHANGES - 2) continue
    for (const later of [change + 1, change + 40, CHANGES - 1].filter(one => one > change && one < CHANGES))
      expect(
        changeAfter(KEY, slotCodec, history, 3 * later - 1, key => stored.get(key) as Uint8Array),
      ).toEqual({ block: 3 * later, before: valueAt(later) })
  }
  expect(stored.size).toBe(0)
  expect(history.tail).toEqual([])
})
