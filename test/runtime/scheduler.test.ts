import { setImmediate } from 'node:timers'
import { describe, expect, test } from 'bun:test'
import { createYield, nextTurn } from '../../runtime/scheduler.ts'

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

/** How many pieces went in each turn of the event loop, of which the first begins when all of them wait. */
const piecesOfTurns = async (pieces: readonly ((done: () => void) => Promise<void>)[]): Promise<number[]> => {
  const counts: number[] = []
  let gone = 0
  for (const piece of pieces) void piece(() => gone++)
  while (gone < pieces.length) {
    const before = gone
    await turn()
    counts.push(gone - before)
  }
  return counts.filter(count => count > 0)
}

const busyFor = (ms: number): void => {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

describe('given small pieces of work that wait between their steps', () => {
  /** Its slice is over when it asks. */
  const small = (ms: number) => async (done: () => void) => {
    const pause = createYield()
    await turn()
    await pause()
    busyFor(ms)
    done()
  }

  test('when they are short then they share a turn', async () => {
    const counts = await piecesOfTurns(Array.from({ length: 20 }, () => small(0)))
    expect(Math.max(...counts)).toBeGreaterThan(1)
  })

  test('when they are longer then each has a turn', async () => {
    expect(await piecesOfTurns(Array.from({ length: 4 }, () => small(3)))).toEqual([1, 1, 1, 1])
  })

  test('when one between them wants a turn for itself then it shares it with none', async () => {
    const order: string[] = []
    const named = (name: string, wait: () => Promise<void>) => async (done: () => void) => {
      await wait()
      order.push(name)
      done()
    }
    const pause = createYield()
    await turn()
    const counts = await piecesOfTurns([
      named('small', pause),
      named('alone', nextTurn),
      named('small after', pause),
    ])
    expect(order).toEqual(['small', 'alone', 'small after'])
    expect(counts).toEqual([1, 1, 1])
  })
})

describe('given work in small steps', () => {
  test('when a slice is over then others have their turn', async () => {
    const pause = createYield()
    let turns = 0
    let isWorking = true
    const count = (): void => {
      turns++
      if (isWorking) setImmediate(count)
    }
    setImmediate(count)
    for (let step = 0; step < 20; step++) {
      // By steps, not by the clock: a machine that is busy with something else may take all of a time at once.
      busyFor(1)
      await pause()
    }
    isWorking = false
    expect(turns).toBeGreaterThan(0)
  })
})
