import { describe, expect, test } from 'bun:test'
import { createDeadlines } from '../../../handlers/inbound/deadlines.ts'
import { turns } from '../../support/turns.ts'

const asItIs = (value: string): string => value
const late = (): string => 'late'

describe('given work with a deadline', () => {
  test('when it ends in time, then its result is passed on', async () => {
    const deadlines = createDeadlines(10_000)
    expect(await deadlines.within(Promise.resolve('done'), value => `${value}!`, late)).toBe('done!')
  })

  test('when it takes longer, then it ends at its own deadline, and later work continues', async () => {
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
    await turns(1)
    expect(answers).toEqual(['first is late'])
    expect(await deadlines.within(Promise.withResolvers<string>().promise, asItIs, late)).toBe('late')
  })

  test('when it or its follow-up fails, then the error is passed on', async () => {
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
