import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  type Admission,
  COST_UNDER_ATTACK,
  createLoginLimits,
  FAILURES_OF_ADDRESS_MAX,
  FAILURES_OF_KNOWN_MAX,
  FAILURES_OF_USER_MAX,
  KNOWN_MS,
  type LoginLimits,
} from '../../../../handlers/auth/login/loginLimits.ts'

const MINUTE_MS = 60_000

const start = () => {
  const clock = { nowMs: 1_700_000_000_000 }
  return { clock, limits: createLoginLimits(() => clock.nowMs) }
}

const finish = (admission: Admission, isRight: boolean): Admission['kind'] => {
  if (admission.kind === 'admitted') {
    if (isRight) admission.attempt.succeeded()
    admission.attempt.settled()
  }
  return admission.kind
}

const fail = (limits: LoginLimits, from: string, user = 'alice'): Admission['kind'] =>
  finish(limits.admit(from, user), false)

const succeed = (limits: LoginLimits, from: string, user = 'alice'): Admission['kind'] =>
  finish(limits.admit(from, user), true)

const failTimes = (limits: LoginLimits, times: number, from: (index: number) => string): number => {
  let admitted = 0
  for (let index = 0; index < times; index++) if (fail(limits, from(index)) === 'admitted') admitted++
  return admitted
}

/** An address that nothing else comes from. */
const address = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`

describe('given failed logins from one address', () => {
  test('then a limited number is admitted, then one in three seconds, and the answer says when', () => {
    const { clock, limits } = start()
    expect(failTimes(limits, 500, () => '192.0.2.1')).toBe(FAILURES_OF_ADDRESS_MAX)
    expect(limits.admit('192.0.2.1', 'alice')).toEqual({ kind: 'limited', retrySeconds: 3 })
    clock.nowMs += 3_000
    expect(failTimes(limits, 5, () => '192.0.2.1')).toBe(1)
    clock.nowMs += MINUTE_MS
    expect(failTimes(limits, 500, () => '192.0.2.1')).toBe(20)
  })

  test('then other addresses are not limited, and the addresses of one IPv6 customer count as one', () => {
    const { limits } = start()
    failTimes(limits, 500, index => `2001:db8:1:2::${index.toString(16)}`)
    expect(fail(limits, '2001:db8:1:2:ffff::1')).toBe('limited')
    expect(fail(limits, '2001:db8:1:3::1')).toBe('admitted')
    expect(fail(limits, '192.0.2.1')).toBe('admitted')
  })

  test('then successful logins in between neither cost nor refund anything', () => {
    const { limits } = start()
    let admitted = 0
    for (let index = 0; index < 500; index++) {
      succeed(limits, '192.0.2.1', 'mallory')
      if (fail(limits, '192.0.2.1') === 'admitted') admitted++
    }
    expect(admitted).toBe(FAILURES_OF_ADDRESS_MAX)
  })

  test('then further attempts are answered as busy while those in progress may still succeed', () => {
    const { limits } = start()
    failTimes(limits, FAILURES_OF_ADDRESS_MAX - 5, () => '192.0.2.1')
    const open = Array.from({ length: 5 }, () => limits.admit('192.0.2.1', 'alice'))
    expect(limits.admit('192.0.2.1', 'alice').kind).toBe('busy')
    for (const admission of open) finish(admission, true)
    expect(limits.admit('192.0.2.1', 'alice').kind).toBe('admitted')
  })

  test('then a password that was not checked costs nothing', () => {
    const { limits } = start()
    for (let index = 0; index < 500; index++) {
      const admission = limits.admit('192.0.2.1', 'alice')
      if (admission.kind !== 'admitted') throw new Error(admission.kind)
      admission.attempt.unchecked()
      admission.attempt.settled()
    }
    expect(failTimes(limits, 500, () => '192.0.2.1')).toBe(FAILURES_OF_ADDRESS_MAX)
  })
})

describe('given a user who has logged in from an address', () => {
  const isKnown = (admission: Admission): boolean =>
    admission.kind === 'admitted' && admission.attempt.client.isKnown

  test('when others at the address fail without an end, then this user logs in there', () => {
    const { clock, limits } = start()
    succeed(limits, '192.0.2.1')
    for (let second = 0; second < 3_600; second++) {
      clock.nowMs += 1_000
      for (const name of ['bob', 'carol', `${second}`]) fail(limits, '192.0.2.1', name)
      // Wrong passwords of the user from elsewhere do not count either.
      for (let index = 0; index < 5; index++) fail(limits, address(second * 5 + index))
      if (second % 60 === 0) expect(succeed(limits, '192.0.2.1')).toBe('admitted')
    }
    expect(fail(limits, '192.0.2.1', 'carol')).toBe('limited')
    expect(fail(limits, '192.0.2.1')).toBe('admitted')
  })

  test('then wrong passwords of this user there have a limit of their own before that of the address', () => {
    const { limits } = start()
    succeed(limits, '192.0.2.1')
    expect(failTimes(limits, 500, () => '192.0.2.1')).toBe(FAILURES_OF_KNOWN_MAX + FAILURES_OF_ADDRESS_MAX)
    expect(isKnown(limits.admit('192.0.2.2', 'alice'))).toBe(false)
  })

  test('when the user has not logged in for a long time, then the address counts again', () => {
    const { clock, limits } = start()
    succeed(limits, '192.0.2.1')
    clock.nowMs += KNOWN_MS - 1
    expect(isKnown(limits.admit('192.0.2.1', 'alice'))).toBe(true)
    clock.nowMs += 1
    expect(isKnown(limits.admit('192.0.2.1', 'alice'))).toBe(false)
  })
})

describe('given failed logins as one user from many addresses', () => {
  test('then each address has few attempts, but always some: the user is not locked out', () => {
    const { clock, limits } = start()
    let index = 0
    // An hour of ten wrong passwords a second.
    for (let second = 0; second < 3_600; second++) {
      clock.nowMs += 1_000
      for (let i = 0; i < 10; i++) fail(limits, address(index++))
      if (second % 60 === 0) expect(succeed(limits, '192.0.2.1')).toBe('admitted')
    }
    const fresh = failTimes(limits, 100, () => '198.51.100.1')
    expect(fresh).toBe(FAILURES_OF_ADDRESS_MAX / COST_UNDER_ATTACK)
    expect(succeed(limits, '192.0.2.1')).toBe('admitted')
  })

  test('then other users are not limited, and unknown users are counted like known ones', () => {
    const { limits } = start()
    failTimes(limits, FAILURES_OF_USER_MAX * 2, address)
    const asNobody = start()
    for (let index = 0; index < FAILURES_OF_USER_MAX * 2; index++)
      fail(asNobody.limits, address(index), 'nobody')
    for (const [one, user] of [
      [limits, 'alice'],
      [asNobody.limits, 'nobody'],
    ] as const) {
      let attempts = 0
      while (fail(one, '192.0.2.1', user) === 'admitted') attempts++
      expect(attempts).toBe(FAILURES_OF_ADDRESS_MAX / COST_UNDER_ATTACK)
    }
    let others = 0
    while (fail(limits, '192.0.2.2', 'bob') === 'admitted') others++
    expect(others).toBe(FAILURES_OF_ADDRESS_MAX)
  })

  test('when the attack ends, then all limits are restored after some minutes', () => {
    const { clock, limits } = start()
    failTimes(limits, 1_000, index => address(index % 50))
    clock.nowMs += 4 * MINUTE_MS
    expect(failTimes(limits, 500, () => '192.0.2.1')).toBe(FAILURES_OF_ADDRESS_MAX)
  })
})

describe('given any logins', () => {
  test('then no address fails more often than its limit allows for the elapsed time', () => {
    const step = fc.record({
      address: fc.nat(2),
      user: fc.nat(2),
      waitMs: fc.nat(2_000),
      isRight: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), steps => {
        const { clock, limits } = start()
        const failures = [0, 0, 0]
        const names = new Set<string>()
        for (const { address: from, user, waitMs, isRight } of steps) {
          clock.nowMs += waitMs
          const kind = finish(limits.admit(`192.0.2.${from}`, `user${user}`), isRight)
          if (isRight) names.add(`${from} ${user}`)
          if (kind === 'admitted' && !isRight) failures[from] = (failures[from] as number) + 1
        }
        const passedMs = clock.nowMs - 1_700_000_000_000
        const refilled = Math.ceil(passedMs / 3_000)
        for (const [from, count] of failures.entries()) {
          const known = [...names].filter(name => name.startsWith(`${from} `)).length
          const limit = FAILURES_OF_ADDRESS_MAX + refilled + known * (FAILURES_OF_KNOWN_MAX + refilled)
          expect(count).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })

  test('when the clock goes back, then no attempts are added and nobody is locked out', () => {
    const { clock, limits } = start()
    failTimes(limits, 100, () => '192.0.2.1')
    clock.nowMs -= 3_600_000
    expect(fail(limits, '192.0.2.1')).toBe('limited')
    expect(fail(limits, '192.0.2.2')).toBe('admitted')
  })
})
