import { describe, expect, test } from 'bun:test'
import { softTimeoutAt, roundTimeoutMs } from '../../../core/qbft/actions/timeouts.ts'
import { faultsOf } from '../../../core/validators/quorum.ts'
import { boundMsOf } from '../../simulation/settings.ts'
import { addressesOf, networkKeys } from './support/keys.ts'

const BASES_MS = [1_000, 2_000, 4_000, 10_000, 90_000]
const CAPS_MS = [1_000, 60_000, 600_000]
const ROUNDS_MAX = 400
const KEYS = networkKeys(20)

const CASES = BASES_MS.flatMap(requestTimeoutMs =>
  CAPS_MS.flatMap(requestTimeoutMaxMs =>
    [1, 3, 4, 7, 10, 20].map(count => ({ requestTimeoutMs, requestTimeoutMaxMs, count })),
  ),
)

describe.each(CASES)(
  'given a base of $requestTimeoutMs ms, a cap of $requestTimeoutMaxMs and $count validators',
  ({ count, ...environment }) => {
    const head = { validators: addressesOf(KEYS.slice(0, count)) }
    const softTimeoutMs = softTimeoutAt(environment, undefined, 1n, count)
    const timeouts = Array.from({ length: ROUNDS_MAX }, (_, failedRounds) =>
      roundTimeoutMs(environment, { head, failedRounds, softTimeoutMs }),
    )
    const { requestTimeoutMs, requestTimeoutMaxMs } = environment

    test('when rounds pass, then timeouts grow from the base to the cap, never back', () => {
      expect(timeouts[0]).toBe(requestTimeoutMs)
      expect(timeouts).toEqual(timeouts.toSorted((a, b) => a - b))
      expect(timeouts.at(-1)).toBe(Math.max(requestTimeoutMs, requestTimeoutMaxMs))
    })

    test('when F proposers are faulty, then the running round and theirs end in the time of base timeouts', () => {
      const rounds = faultsOf(count) + 1
      const roomMs = boundMsOf(requestTimeoutMs) - 5_000
      expect(rounds * softTimeoutMs).toBeLessThanOrEqual(Math.max(roomMs, rounds * requestTimeoutMs))
    })

    test('when no round decides, then they grow beyond that after two minutes, or one round of each possible proposer', () => {
      const rounds = faultsOf(count) + 1
      const soft = timeouts.filter(timeoutMs => timeoutMs === softTimeoutMs).length
      if (softTimeoutMs < requestTimeoutMaxMs)
        expect(soft * softTimeoutMs).toBeLessThanOrEqual(Math.max(120_000, (rounds + 1) * softTimeoutMs))
    })

    test('when faulty validators act alone, then no timeout grows beyond that', () => {
      const ready = timeouts.indexOf(softTimeoutMs)
      expect(timeouts.slice(ready, ready + faultsOf(count) + 1)).toEqual(
        Array(faultsOf(count) + 1).fill(softTimeoutMs),
      )
    })
  },
)
