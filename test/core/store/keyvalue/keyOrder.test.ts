import { describe, expect, test } from 'bun:test'
import { sortedKeys } from '../../../../core/store/keyvalue/keyOrder.ts'
import { seededRandom } from '../../../support/random.ts'

const sortWith = async (keys: readonly string[]) => {
  let pauses = 0
  const sorted = await sortedKeys(
    {
      pause: async () => {
        pauses++
      },
    },
    new Set(keys),
  )
  return { sorted, pauses }
}

describe('given the keys of a memtable', () => {
  test('when keys are distributed in any way, then the order is that of a plain sort', async () => {
    const random = seededRandom(5)
    const hex = (length: number): string =>
      Array.from({ length }, () => random.below(16).toString(16)).join('')
    const spreads: (() => string)[] = [
      () => `t:${hex(20)}`,
      () => 'n'.repeat(1 + random.below(5000)),
      () => `a:${'0'.repeat(30)}${hex(4)}`,
      () => (random.below(10) === 0 ? `b:${hex(20)}` : `a:${hex(3)}`),
    ]
    for (const spread of spreads)
      for (const count of [0, 1, 1_024, 1_025, 9_000]) {
        const keys = [...new Set(Array.from({ length: count }, spread))]
        const { sorted } = await sortWith(keys)
        expect(sorted).toEqual(keys.toSorted())
      }
  })

  test('given keys in order already, or in reverse, then they are in order', async () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `k:${String(index).padStart(5, '0')}`)
    expect((await sortWith(keys)).sorted).toEqual(keys)
    expect((await sortWith(keys.toReversed())).sorted).toEqual(keys)
  })

  test('given many keys, then other work runs between the steps', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `t:${(index * 7919) % 20_000}`)
    expect((await sortWith(keys)).pauses).toBeGreaterThan(40)
  })
})
