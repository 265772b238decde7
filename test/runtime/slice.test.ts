import { setImmediate } from 'node:timers'
import { describe, expect, test } from 'bun:test'
import { createSlice, nextTurn } from '../../runtime/slice.ts'

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

describe('given several pieces of long work that wait for a turn', () => {
  test('when turns pass then each goes to one of them, in their order', async () => {
    const gone: number[] = []
    for (const piece of [1, 2, 3]) void nextTurn().then(() => gone.push(piece))
    const seen: number[] = []
    while (gone.length < 3) {
      await turn()
      seen.push(gone.length)
    }
    expect(gone).toEqual([1, 2, 3])
    // Never two of them between two turns of somebody else.
    for (const [index, count] of seen.entries()) expect(count - (seen[index - 1] ?? 0)).toBeLessThanOrEqual(1)
  })

  test('when one of them waits again then the others go first', async () => {
    const gone: string[] = []
    const work = async (name: string, slices: number): Promise<void> => {
      for (let slice = 0; slice < slices; slice++) {
        await nextTurn()
        gone.push(name)
      }
    }
    await Promise.all([work('a', 3), work('b', 3)])
    expect(gone).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  })
})

describe('given work in small steps', () => {
  test('when a slice is over then others have their turn', async () => {
    const pause = createSlice()
    let turns = 0
    let isWorking = true
    const count = (): void => {
      turns++
      if (isWorking) setImmediate(count)
    }
    setImmediate(count)
    const untilMs = performance.now() + 20
    while (performance.now() < untilMs) await pause()
    isWorking = false
    expect(turns).toBeGreaterThan(0)
  })
})
