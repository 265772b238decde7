import { describe, expect, jest, test } from 'bun:test'
import {
  createAudit,
  DENIALS_MAX,
  DENIALS_OF_ADDRESS_MAX,
  type Denial,
} from '../../../handlers/auth/audit.ts'

const start = () => {
  const denials: Denial[] = []
  const suppressed: number[] = []
  const audit = createAudit({
    denied: denial => denials.push(denial),
    loggedIn: () => undefined,
    suppressed: count => suppressed.push(count),
  })
  return { audit, denials, suppressed }
}

const denial = (from: string): Denial => ({ who: 'alice', what: 'eth_call', from })

describe('given denials', () => {
  test('then each is logged in one line', () => {
    const { audit, denials } = start()
    for (let index = 0; index < 100; index++) audit.denied(denial('192.0.2.1'))
    expect(denials).toEqual(Array.from({ length: 100 }, () => denial('192.0.2.1')))
  })

  test('when one address exceeds its limit per minute then the rest is only counted, and other addresses are logged', () => {
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

  test('when many addresses send them then their sum stays within a limit', () => {
    const { audit, denials } = start()
    for (let index = 0; index < DENIALS_MAX * 2; index++)
      audit.denied(denial(`10.0.${index >> 8}.${index & 255}`))
    expect(denials.length).toBe(DENIALS_MAX)
  })
})
