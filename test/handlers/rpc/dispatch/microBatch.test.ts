import { describe, expect, test } from 'bun:test'
import { errorText } from '../../../../core/text/errorText.ts'
import type { Call } from '../../../../handlers/rpc/method.ts'
import { createBatchedStart, createMicroBatch } from '../../../../handlers/rpc/dispatch/microBatch.ts'
import { turns } from '../../../support/turns.ts'

/** Turns of an event loop that the test takes itself. */
const createEventLoop = () => {
  let next: (() => void)[] = []
  return {
    onNextTurn: (run: () => void): void => void next.push(run),
    /** Gives how many runs there were. */
    take: async (): Promise<number> => {
      const now = next
      next = []
      for (const run of now) run()
      await turns(1)
      return now.length
    },
  }
}

const callOf = (index: number): Call => ({ params: [index], expired: () => false })

describe('given single calls', () => {
  test('when they arrive in one turn, then eight begin in the next, eight in each after it', async () => {
    const loop = createEventLoop()
    const startBatched = createBatchedStart<number>(loop.onNextTurn)
    const begun: number[] = []
    for (let index = 0; index < 20; index++) void startBatched(() => begun.push(index))
    await turns(1)
    const counts = [begun.length]
    for (let turn = 0; turn < 3; turn++) {
      expect(await loop.take()).toBe(1)
      counts.push(begun.length)
    }
    expect(counts).toEqual([0, 8, 16, 20])
    expect(begun).toEqual([...begun].sort((a, b) => a - b))
    expect(await loop.take()).toBe(0)

    const failed = startBatched(() => {
      throw new Error('it cannot start')
    }).catch(errorText)
    const last = startBatched(() => begun.push(20))
    await loop.take()
    expect(await failed).toBe('it cannot start')
    expect(await last).toBe(21)
  })

  test('when more arrive meanwhile, then they are handled together afterwards', async () => {
    const loop = createEventLoop()
    const groups: number[][] = []
    const handling: (() => void)[] = []
    const gather = createMicroBatch(loop.onNextTurn, async calls => {
      const group = calls.map(({ params }) => params[0] as number)
      groups.push(group)
      await new Promise<void>(resolve => handling.push(resolve))
      return group.map(result => ({ result }))
    })
    const answers = [0, 1, 2].map(index => gather(callOf(index)))
    await loop.take()
    answers.push(gather(callOf(3)), gather(callOf(4)))
    expect(await loop.take()).toBe(0)
    expect(groups).toEqual([[0, 1, 2]])

    handling.shift()?.()
    await turns(1)
    await loop.take()
    expect(groups).toEqual([
      [0, 1, 2],
      [3, 4],
    ])
    handling.shift()?.()
    expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4].map(result => ({ result })))

    const last = gather(callOf(5))
    await loop.take()
    handling.shift()?.()
    expect(await last).toEqual({ result: 5 })
  })

  test('when there are many, then a hundred are handled at a time', async () => {
    const loop = createEventLoop()
    const sizes: number[] = []
    const gather = createMicroBatch(loop.onNextTurn, async calls => {
      sizes.push(calls.length)
      return calls.map(() => ({ result: null }))
    })
    const answers = Array.from({ length: 250 }, (_, index) => gather(callOf(index)))
    while ((await loop.take()) > 0);
    await Promise.all(answers)
    expect(sizes).toEqual([100, 100, 50])
  })
})
