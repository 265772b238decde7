import { describe, expect, test } from 'bun:test'
import { createWriteClock } from '../../../../runtime/consensus/reports/writeClock.ts'

/** A write that ends when the test says, and a clock whose timer fires or is held up. */
const open = () => {
  let now = 1_000
  let tick: () => void = () => undefined
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const clock = createWriteClock({
    nowMs: () => now,
    every: (_, fire) => {
      tick = fire
      return () => undefined
    },
  })
  return {
    clock,
    written: clock.during(() => promise),
    end: () => resolve(undefined),
    idle: (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        now += 100
        tick()
      }
    },
    busy: (ms: number) => {
      now += ms
    },
    tick: () => tick(),
  }
}

describe('given a write to the disk', () => {
  test('when the event loop is idle meanwhile, then all of its time is that of the disk', async () => {
    const { clock, written, end, idle } = open()
    idle(3_000)
    expect(clock.times().runningSinceMs).toBe(1_000)
    end()
    await written
    expect(clock.times().last).toEqual({ atMs: 4_000, tookMs: 3_000 })
  })

  test('when the event loop is busy meanwhile, then that time is not that of the disk', async () => {
    const { clock, written, end, idle, busy, tick } = open()
    idle(200)
    busy(5_000)
    expect(clock.times().runningSinceMs).toBe(1_000 + 4_900)
    tick()
    end()
    await written
    expect(clock.times().last?.tookMs).toBe(300)
  })
})
