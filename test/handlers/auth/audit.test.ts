import { describe, expect, jest, test } from 'bun:test'
import {
  type AuditClock,
  createAudit,
  DENIALS_MAX,
  DENIALS_OF_ADDRESS_MAX,
  type Denial,
} from '../../../handlers/auth/audit.ts'

const start = (clock?: AuditClock) => {
  const denials: Denial[] = []
  const suppressed: number[] = []
  const log = {
    denied: (denial: Denial) => denials.push(denial),
    loggedIn: () => undefined,
    suppressed: (count: number) => suppressed.push(count),
  }
  const audit = createAudit(log, clock)
  return { audit, denials, suppressed }
}

const denial = (from: string): Denial => ({ who: 'alice', what: 'eth_call', from })

describe('given denials', () => {
  test('then each is logged in one line', () => {
    const { audit, denials } = start()
    for (let index = 0; index < 100; index++) audit.denied(denial('192.0.2.1'))
    expect(denials).toEqual(Array.from({ length: 100 }, () => denial('192.0.2.1')))
  })

  test('when one address exceeds its limit per minute, then the rest is only counted, and other addresses are logged', () => {
    jest.useFakeTimers()
    try {
      const { audit, denials, suppressed } = start()
      for (let index = 0; index < DENIALS_OF_ADDRESS_MAX + 7; index++) audit.denied(denial('192.0.2.1'))
      audit.denied(denial('192.0.2.2'))
      expect(denials.length).toBe(DENIALS_OF_ADDRESS_MAX + 1)
      jest.advanceTimersByTime(60_000)
      expect(suppressed).toEqual([7])
      audit.denied(denial('192.0.2.1'))
      expect(denials.length).toBe(DENIALS_OF_ADDRESS_MAX + 2)
    } finally {
      jest.useRealTimers()
    }
  })

  test('when no timer may serve several requests, then the first denial after the minute ends it', () => {
    const clock = { ms: 5_000 }
    const { audit, denials, suppressed } = start({ nowMs: () => clock.ms, hasTimers: false })
    for (let index = 0; index < DENIALS_OF_ADDRESS_MAX + 7; index++) audit.denied(denial('192.0.2.1'))
    clock.ms += 59_999
    audit.denied(denial('192.0.2.1'))
    expect([denials.length, suppressed]).toEqual([DENIALS_OF_ADDRESS_MAX, []])
    clock.ms += 1
    audit.denied(denial('192.0.2.1'))
    expect([denials.length, suppressed]).toEqual([DENIALS_OF_ADDRESS_MAX + 1, [8]])
  })

  test('when many addresses send them, then their sum stays within a limit', () => {
    const { audit, denials } = start()
    for (let index = 0; index < DENIALS_MAX * 2; index++)
      audit.denied(denial(`10.0.${index >> 8}.${index & 255}`))
    expect(denials.length).toBe(DENIALS_MAX)
  })
})
