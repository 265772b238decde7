import { describe, expect, test } from 'bun:test'
import type { Address } from '../../../core/bytes/bytes.ts'
import { voteRisk } from '../../../core/validators/voteRisk.ts'

const validator = (number: number): Address => new Uint8Array(20).fill(number)

/** The risk of a vote with these validators, of which those can be reached. */
const risk = (members: readonly number[], reachable: readonly number[], type: 'add' | 'drop', on: number) =>
  voteRisk(members.map(validator), address => reachable.includes(address[0] as number), {
    recipient: validator(on),
    type,
  })

describe('given a dangerous vote', () => {
  test('when it adds a missing validator, and its absence is one too many, then there is a warning', () => {
    expect(risk([1], [1], 'add', 2)).toContain('2 of then 2 validators must take part, and 1 of them')
    expect(risk([1, 2, 3, 4], [1, 2, 3], 'add', 5)).toContain('4 of then 5')
  })

  test('when it drops one without whom the others are too few, then there is a warning', () => {
    expect(risk([1, 2, 3, 4], [1, 2, 4], 'drop', 1)).toBeUndefined()
    expect(risk([1, 2, 3, 4, 5, 6], [1, 2, 3, 4], 'drop', 1)).toContain('4 of then 5')
  })

  test('when it would drop the last one, then there is a warning', () => {
    expect(risk([1], [1], 'drop', 1)).toContain('never cast')
  })
})

describe('given a harmless vote', () => {
  test('when enough are reachable, then there is no warning', () => {
    expect(risk([1, 2, 3, 4], [1, 2, 3, 4], 'add', 5)).toBeUndefined()
    expect(risk([1], [1, 2], 'add', 2)).toBeUndefined()
    expect(risk([1, 2], [1, 2], 'drop', 2)).toBeUndefined()
  })

  test('when it drops an unreachable one, then there is no warning', () => {
    expect(risk([1, 2, 3, 4, 5], [1, 2, 3], 'drop', 5)).toBeUndefined()
  })

  test('when it changes nothing, then there is no warning', () => {
    expect(risk([1, 2], [], 'add', 2)).toBeUndefined()
    expect(risk([1, 2], [], 'drop', 3)).toBeUndefined()
  })
})
