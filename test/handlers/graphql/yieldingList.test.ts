import { describe, expect, test } from 'bun:test'
import { onNextTurn, REQUEST_SLICE_MS } from '../../../handlers/inbound/requestScheduler.ts'
import { createScheduler, type YieldTurn } from '../../../core/scheduler.ts'
import { jsonPiecesOf } from '../../../handlers/graphql/http/text.ts'
import { createBudget } from '../../../handlers/graphql/limits/budget.ts'
import { createYieldingList } from '../../../handlers/graphql/limits/yieldingList.ts'

/** The yield function of work on a clock that each read moves by `stepMs`. */
const yieldOnSlowClock = (stepMs: number): YieldTurn => {
  let nowMs = 0
  const options = { onNextTurn, nowMs: () => (nowMs += stepMs), sliceMs: REQUEST_SLICE_MS }
  return createScheduler(options).createYield()
}

describe('given a list', () => {
  test('when it is long, then its items come in order, the first at once, and other work runs between them', async () => {
    const yieldingList = createYieldingList(yieldOnSlowClock(20))
    const items = Array.from({ length: 100 }, (_, index) => index)
    const list = yieldingList(items)
    expect(list.slice(0, 16)).toEqual(items.slice(0, 16))
    let others = 0
    let timer = setImmediate(function turn() {
      others++
      timer = setImmediate(turn)
    })
    const seen: number[] = []
    await Promise.all(list.map(async item => seen.push(await item)))
    clearImmediate(timer)
    expect(seen).toEqual(items)
    expect(others).toBeGreaterThan(0)
  })

  test('when it is short, then it is returned unchanged', () => {
    const items = [1, 2, 3]
    expect(createYieldingList(() => undefined)(items)).toBe(items)
  })
})

describe('given a long answer', () => {
  test('when it is written in pieces, then the text is the same as in one', async () => {
    const value = {
      errors: [{ message: 'a "quoted"\n text', path: ['a', 0, 'b'], extensions: {} }],
      data: Object.assign(Object.create(null) as object, {
        empty: [],
        none: null,
        yes: true,
        lists: [[], ['0x1', '0x2'], [[{}]]],
        blocks: Array.from({ length: 3000 }, (_, index) => ({
          number: `0x${index}`,
          miner: { address: '0x00' },
          logs: [{ topics: ['0x1'], data: null }],
        })),
      }),
    }
    const pieces = await jsonPiecesOf(value, yieldOnSlowClock(1))
    expect(pieces.length).toBeGreaterThan(2)
    expect(pieces.join('')).toBe(JSON.stringify(value))
  })
})

test('given a query of which a thousand fields fail, then it ends, and each error has its path', () => {
  const told: Error[] = []
  const { countError } = createBudget(error => told.push(error))
  const failure = new Error('no')
  for (let count = 0; count < 1000; count++) expect(() => countError(failure)).toThrow('no')
  expect(told).toEqual([])
  expect(() => countError(failure)).toThrow('maximum number of errors exceeded: 1000')
  expect(told).toHaveLength(1)
})
