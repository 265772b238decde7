import { describe, expect, test } from 'bun:test'
import { createClock } from '../../../../runtime/node/development/clock.ts'

/** A clock of a chain whose head and machine the test moves. */
const started = ({ head, now }: { head: bigint; now: bigint }) => {
  const at = { head, now }
  const clock = createClock(
    () => Number(at.now) * 1000,
    () => at.head,
  )
  const mine = (): bigint => {
    at.head = clock.nextTimestamp()
    clock.blockMade(at.head)
    return at.head
  }
  return { at, clock, mine }
}

describe('given a development chain whose head is ahead of the machine', () => {
  test('when it is opened, then time goes on from the head and can be increased', () => {
    const { at, clock, mine } = started({ head: 5_000n, now: 1_000n })
    at.now += 3n
    expect(mine()).toBe(5_003n)
    clock.increase(100n)
    expect(mine()).toBe(5_103n)
  })
})

describe('given a development chain whose head is behind the machine', () => {
  test('when it is opened, then blocks have the time of the machine', () => {
    const { mine } = started({ head: 500n, now: 1_000n })
    expect(mine()).toBe(1_000n)
  })

  test('when the chain goes back to an earlier block, then time goes on from there', () => {
    const { at, clock, mine } = started({ head: 900n, now: 1_000n })
    clock.increase(100_000n)
    mine()
    at.head = 900n
    clock.goOnFromHead()
    at.now += 7n
    expect(mine()).toBe(907n)
  })

  test('when a time before the head is set, then the next block is one second after its parent', () => {
    const { at, clock, mine } = started({ head: 900n, now: 1_000n })
    expect(clock.setTime(100n)).toBe(0n)
    expect(clock.setNext(at.head - 1n)).toBe(false)
    expect(mine()).toBe(901n)
  })
})
