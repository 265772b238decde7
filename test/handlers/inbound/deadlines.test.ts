import { describe, expect, test } from 'bun:test'
import { createDeadlines } from '../../../handlers/inbound/deadlines.ts'

const asItIs = (value: string): string => value
const late = (): string => 'late'

describe('work that is waited for so long', () => {
  test('gives what is made of its value when it is in time', async () => {
    const deadlines = createDeadlines(10_000)
    expect(await deadlines.within(Promise.resolve('done'), value => `${value}!`, late)).toBe('done!')
  })

  test('is given up when it takes longer, each at its own time, and later ones go on', async () => {
    const deadlines = createDeadlines(600)
    const never = Promise.withResolvers<string>()
    const soon = Promise.withResolvers<string>()
    const answers: string[] = []
    const first = deadlines.within(never.promise, asItIs, () => 'first is late')
    void first.then(answer => answers.push(answer))
    // Far enough behind that a busy machine does not end both at once.
    await Bun.sleep(500)
    const second = deadlines.within(soon.promise, asItIs, () => 'second is late')
    expect(await first).toBe('first is late')
    soon.resolve('second is done')
    expect(await second).toBe('second is done')
    never.resolve('too late')
    await Bun.sleep(0)
    expect(answers).toEqual(['first is late'])
    expect(await deadlines.within(Promise.withResolvers<string>().promise, asItIs, late)).toBe('late')
  })

  test('fails with its error, or with that of what is made of its value', async () => {
    const deadlines = createDeadlines(10_000)
    const failing = deadlines.within(Promise.reject(new Error('broken')), asItIs, late)
    expect(failing).rejects.toThrow('broken')
    const unfinished = deadlines.within(
      Promise.resolve('done'),
      () => {
        throw new Error('cannot be written')
      },
      late,
    )
    expect(unfinished).rejects.toThrow('cannot be written')
  })
})
