import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { createLagReport, type LagReport } from '../../../runtime/replicate/lagReport.ts'
import { SILENCE_CHECK_MS } from '../../../runtime/replicate/limits.ts'
import { createPendingRequests } from '../../../runtime/replicate/pendingRequests.ts'
import { sharedMemory } from '../../support/stores/replica.ts'

describe('the requests that a store has not answered', () => {
  test('given two requests, when the first is answered, then the second counts, and none counts after its answer', async () => {
    const clock = { ms: 0 }
    const pending = createPendingRequests(() => clock.ms)
    const answers: (() => void)[] = []
    const kv = pending.watch({
      ...sharedMemory(),
      get: () => new Promise(resolve => answers.push(() => resolve(undefined))),
    })
    const first = kv.get('a')
    clock.ms = 4_000
    const second = kv.get('b')
    clock.ms = 9_500
    expect(pending.seconds()).toBe(9)
    answers[0]?.()
    await first
    expect(pending.seconds()).toBe(5)
    answers[1]?.()
    await second
    expect(pending.seconds()).toBe(0)
  })

  test('given a request that fails, or a connection that is closed, then it is not pending any more', async () => {
    const clock = { ms: 0 }
    const pending = createPendingRequests(() => clock.ms)
    const failed = pending.during(Promise.reject(new Error('gone')))
    await failed.catch(() => undefined)
    void pending.during(new Promise(() => undefined))
    clock.ms = 6_000
    expect(pending.seconds()).toBe(6)
    pending.forget()
    expect(pending.seconds()).toBe(0)
  })
})

describe('the report of a replica whose store is silent', () => {
  const store = { silentSeconds: 0 }
  let lines: string[] = []
  let report: LagReport
  const line = (text: string, values: Record<string, unknown>): void => {
    lines.push(text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name])))
  }

  beforeEach(() => {
    jest.useFakeTimers()
    lines = []
    store.silentSeconds = 0
    report = createLagReport({
      target: 'redis',
      lag: () => 3,
      silentSeconds: () => store.silentSeconds,
      log: { info: line, warn: line, error: line },
    })
  })
  afterEach(() => {
    report.end()
    jest.useRealTimers()
  })

  const WARNING =
    'The replica redis gets no blocks: no answer from the store for 5 s. The node waits for it; block production is not affected'

  test('given no answer for five seconds, then readiness and the log tell it before the request times out', () => {
    store.silentSeconds = 4
    jest.advanceTimersByTime(SILENCE_CHECK_MS)
    expect([report.reason(), lines]).toEqual([undefined, []])
    store.silentSeconds = 5
    jest.advanceTimersByTime(SILENCE_CHECK_MS)
    store.silentSeconds = 6
    jest.advanceTimersByTime(SILENCE_CHECK_MS)
    expect(report.reason()).toBe('no answer from the store for 6 s')
    expect(lines).toEqual([WARNING])
  })

  test('given an answer at last, then the log says so, and a store that is silent again at once adds no line', () => {
    store.silentSeconds = 5
    jest.advanceTimersByTime(SILENCE_CHECK_MS)
    store.silentSeconds = 0
    report.working()
    expect(report.reason()).toBeUndefined()
    store.silentSeconds = 5
    jest.advanceTimersByTime(SILENCE_CHECK_MS)
    expect(lines).toEqual([WARNING, 'The replica redis takes blocks again'])
  })

  test('given a failure, then its reason is told while the next attempt has no answer', () => {
    report.failed('connection refused, no program listens there', false)
    store.silentSeconds = 9
    jest.advanceTimersByTime(SILENCE_CHECK_MS)
    expect(report.reason()).toBe('connection refused, no program listens there')
    expect(lines.length).toBe(1)
    report.caughtUp()
    expect(lines.at(-1)).toBe('The replica redis takes blocks again')
  })
})
