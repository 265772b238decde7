import { describe, expect, test } from 'bun:test'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import type { Usage } from '../../../../core/evm/interpreter/runLimit.ts'
import { createSelectionBounds } from '../../../../runtime/consensus/blocks/selectionBounds.ts'

const NOTHING: Usage = { memoryBytes: 0, blockMemoryBytes: 0, logs: 0, logBytes: 0, changes: 0 }
const SENT = {} as RecoveredTransaction

/** Bounds of a selection of two seconds, and its clock. */
const setUp = (isDeferred = false, atGas?: bigint) => {
  let nowMs = 1_000
  const bounds = createSelectionBounds(
    { atMs: 3_000, atGas },
    () => isDeferred,
    () => nowMs,
  )
  bounds.begin(SENT)
  const after = (ms: number, usage: Partial<Usage> = {}): string | undefined => {
    nowMs += ms
    return bounds.exceeded({ ...NOTHING, ...usage })
  }
  return { bounds, after }
}

describe('given a selection of transactions', () => {
  test('when one runs for the first time, then it has a quarter of the time that is left', () => {
    const { bounds, after } = setUp()
    expect(after(500)).toBeUndefined()
    expect(after(1)).toContain('500 ms')
    bounds.begin(SENT)
    expect(after(374)).toBeUndefined()
    expect(after(2)).toContain('375 ms')
  })

  test('when one runs for the second time, then it has all that is left', () => {
    const { after } = setUp(true)
    expect(after(2_000)).toBeUndefined()
    expect(after(1)).toContain('2000 ms')
  })

  test('when the time is over, then a transaction that begins still has the shortest limit', () => {
    for (const [isDeferred, leastMs] of [
      [false, 100],
      [true, 500],
    ] as const) {
      const { bounds, after } = setUp(isDeferred)
      after(5_000)
      expect(bounds.isFull(0n)).toBe(true)
      bounds.begin(SENT)
      expect(after(leastMs)).toBeUndefined()
      expect(after(1)).toContain(`${leastMs} ms`)
    }
  })

  test('when one needs more memory than a block may take, then the reason names the memory', () => {
    const { after } = setUp()
    expect(after(0, { memoryBytes: 256 * 2 ** 20 })).toBeUndefined()
    expect(after(0, { memoryBytes: 256 * 2 ** 20 + 1 })).toContain('256 MB of memory')
  })

  test('when transactions leave much memory behind, then the block takes no more', () => {
    const { bounds, after } = setUp()
    after(0, { blockMemoryBytes: 512 * 2 ** 20 - 1 })
    expect(bounds.isFull(0n)).toBe(false)
    after(0, { blockMemoryBytes: 512 * 2 ** 20 })
    expect(bounds.isFull(0n)).toBe(true)
  })

  test('when the logs of all transactions are as long as the store writes at once, then the block takes no more', () => {
    const { bounds, after } = setUp(true)
    after(0, { logBytes: 4 * 2 ** 20 })
    bounds.begin(SENT)
    after(0, { logBytes: 4 * 2 ** 20 - 1 })
    expect(bounds.isFull(0n)).toBe(false)
    bounds.begin(SENT)
    after(0, { logBytes: 1 })
    expect(bounds.isFull(0n)).toBe(true)
  })

  test('when the logs of one transaction are longer than is hashed at once, then the reason names their length', () => {
    expect(setUp().after(0, { logBytes: 4 * 2 ** 20 })).toBeUndefined()
    expect(setUp().after(0, { logBytes: 4 * 2 ** 20 + 1 })).toContain('more than 4 MB')
  })

  test('when logs and state changes take time after the selection, then that time counts for transaction and block', () => {
    const { bounds, after } = setUp()
    expect(after(0, { logs: 100_000 })).toContain('100000 logs')
    bounds.begin(SENT)
    expect(after(0, { changes: 2048 + 15_000 })).toBeUndefined()
    expect(bounds.isFull(0n)).toBe(false)
    bounds.begin(SENT)
    expect(after(1_710)).toContain('ms')
    expect(bounds.isFull(0n)).toBe(true)
  })

  test('when they have the gas that the network has time for, then the block takes no more', () => {
    const { bounds } = setUp(false, 42_000n)
    expect(bounds.isFull(41_999n)).toBe(false)
    expect(bounds.isFull(42_000n)).toBe(true)
    expect(setUp().bounds.isFull(10n ** 12n)).toBe(false)
  })

  test('when a transaction is stopped, then its logs and changes no longer count', () => {
    const { bounds, after } = setUp()
    after(0, { logs: 1_000_000 })
    bounds.begin(SENT)
    expect(bounds.isFull(0n)).toBe(false)
  })
})
