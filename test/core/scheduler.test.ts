import { setImmediate } from 'node:timers'
import { describe, expect, test } from 'bun:test'
import { createIndependentScheduler, createScheduler, type YieldTurn } from '../../core/scheduler.ts'

const SLICE_MS = 5

const onNextTurn = (run: () => void): void => void setImmediate(run)
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** A scheduler on a clock that only work moves. */
const setUp = () => {
  const clock = { nowMs: 0 }
  const work = (ms: number): void => {
    clock.nowMs += ms
  }
  return { work, ...createScheduler({ onNextTurn, nowMs: () => clock.nowMs, sliceMs: SLICE_MS }) }
}

/** How often `done` was called in each turn of the event loop, up to `total` calls; turns without a call are left out. */
const countsOfTurns = async (total: number, start: (done: () => void) => void): Promise<number[]> => {
  let count = 0
  start(() => count++)
  const counts: number[] = []
  for (let before = count; before < total; before = count) {
    await turn()
    counts.push(count - before)
  }
  return counts.filter(each => each > 0)
}

describe('given work that arrives together', () => {
  test('when all of it begins, then each turn starts as much as fills a slice, in the order of arrival', async () => {
    const { begin, work } = setUp()
    const begun: number[] = []
    const counts = await countsOfTurns(10, done => {
      for (let name = 0; name < 10; name++)
        void (async () => {
          const waiting = begin()
          if (waiting !== undefined) await waiting
          begun.push(name)
          work(2)
          done()
        })()
    })
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(Math.max(...counts)).toBeLessThanOrEqual(3)
  })

  test('when nothing has used the turn, then it begins at once', () => {
    const { begin, work } = setUp()
    expect(begin()).toBeUndefined()
    work(SLICE_MS - 1)
    expect(begin()).toBeUndefined()
    work(1)
    expect(begin()).toBeInstanceOf(Promise)
  })

  test('when it is long, then each turn continues one piece of it, and starts others beside it', async () => {
    const { begin, createYield, work } = setUp()
    const long = Array.from({ length: 3 }, () => createYield())
    work(SLICE_MS)
    let begun = 0
    const counts = await countsOfTurns(12, done => {
      for (const yieldTurn of long)
        void (async () => {
          for (let step = 0; step < 4; step++) {
            await yieldTurn()
            done()
            work(SLICE_MS)
            void begin()?.then(() => begun++)
          }
        })()
    })
    expect(counts).toEqual(Array.from({ length: 12 }, () => 1))
    expect(begun).toBeGreaterThanOrEqual(10)
  })

  test('when much more begins than one turn holds, then waiting work still continues', async () => {
    const { begin, nextTurn, work } = setUp()
    void begin()
    work(SLICE_MS)
    let begun = 0
    const all = Array.from({ length: 1000 }, async () => {
      await begin()
      begun++
    })
    await nextTurn()
    expect(begun).toBeLessThan(1000)
    await Promise.all(all)
  })
})

describe('given several steps that each want a turn for themselves', () => {
  test('when turns pass, then each turn resumes one of them, in the order of arrival', async () => {
    const { exclusiveTurn } = setUp()
    const resumed: number[] = []
    const counts = await countsOfTurns(3, done => {
      for (const step of [1, 2, 3])
        void exclusiveTurn().then(() => {
          resumed.push(step)
          done()
        })
    })
    expect(resumed).toEqual([1, 2, 3])
    expect(counts).toEqual([1, 1, 1])
  })

  test('when one of them waits again, then the others go first', async () => {
    const { exclusiveTurn } = setUp()
    const resumed: string[] = []
    const run = async (name: string, slices: number): Promise<void> => {
      for (let slice = 0; slice < slices; slice++) {
        await exclusiveTurn()
        resumed.push(name)
      }
    }
    await Promise.all([run('a', 3), run('b', 3)])
    expect(resumed).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  })
})

describe('given steps of work whose slice is over', () => {
  const steps = (count: number, ms: number) => {
    const { createYield, work } = setUp()
    const waiting = Array.from({ length: count }, () => createYield())
    work(SLICE_MS)
    return countsOfTurns(count, done => {
      for (const yieldTurn of waiting)
        void (async () => {
          await yieldTurn()
          work(ms)
          done()
        })()
    })
  }

  test('when they are short, then they share a turn', async () => {
    expect(await steps(20, 0)).toEqual([20])
    expect(await steps(20, 0.25)).toEqual([4, 4, 4, 4, 4])
  })

  test('when they are longer, then each has a turn', async () => {
    expect(await steps(4, 3)).toEqual([1, 1, 1, 1])
  })

  test('when one between them wants a turn for itself, then it shares it with no other', async () => {
    const { createYield, exclusiveTurn, work } = setUp()
    const yieldTurn = createYield()
    work(SLICE_MS)
    const order: string[] = []
    const counts = await countsOfTurns(3, done => {
      const named = async (name: string, wait: YieldTurn): Promise<void> => {
        await wait()
        order.push(name)
        done()
      }
      void named('shared', yieldTurn)
      void named('exclusive', exclusiveTurn)
      void named('shared after it', yieldTurn)
    })
    expect(order).toEqual(['shared', 'exclusive', 'shared after it'])
    expect(counts).toEqual([1, 1, 1])
  })
})

describe('given long work that yields between its steps', () => {
  test('when its slice is over, then others have their turn', async () => {
    const { createYield, work } = setUp()
    const yieldTurn = createYield()
    let turns = 0
    let isWorking = true
    const count = (): void => {
      turns++
      if (isWorking) setImmediate(count)
    }
    setImmediate(count)
    for (let step = 0; step < 20; step++) {
      work(1)
      await yieldTurn()
    }
    isWorking = false
    expect(turns).toBeGreaterThanOrEqual(3)
  })

  test('when other work has used the turn, then it yields although its own slice has just begun', () => {
    const { createYield, isSliceOver, work } = setUp()
    void createYield()
    expect(isSliceOver()).toBe(false)
    work(SLICE_MS)
    expect(isSliceOver()).toBe(true)
    expect(createYield()()).toBeInstanceOf(Promise)
  })
})

test('given a scheduler whose operations share nothing, when one has used its slice, then it alone yields', async () => {
  let nowMs = 0
  const { begin, createYield } = createIndependentScheduler({
    onNextTurn,
    nowMs: () => nowMs,
    sliceMs: SLICE_MS,
  })
  const early = createYield()
  nowMs = SLICE_MS
  const late = createYield()
  expect(late()).toBeUndefined()
  expect(begin()).toBeUndefined()
  const waiting = early()
  expect(waiting).toBeInstanceOf(Promise)
  await waiting
  expect(early()).toBeUndefined()
})
