import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  createPasswordQueue,
  PASSWORDS_WAITING_MAX,
  WAITING_OF_NAME_MAX,
  WAITING_OF_NETWORK_MAX,
  type Waiting,
} from '../../../../runtime/threads/passwords/passwordQueue.ts'

type Entry = Waiting & { readonly id: string }

const entry = (id: string, network: string, username: string, isKnown = false, work = 1): Entry => ({
  id,
  work,
  client: { network, username, isKnown },
})

/** The ids in the order in which they are checked. */
const drain = (queue: { readonly next: () => Entry | undefined }): readonly string[] => {
  const ids: string[] = []
  for (let next = queue.next(); next !== undefined; next = queue.next()) ids.push(next.id)
  return ids
}

describe('given passwords that wait', () => {
  test('then networks take turns, and so do the names of one network', () => {
    const queue = createPasswordQueue<Entry>()
    for (const id of ['a1', 'a2', 'a3']) queue.add(entry(id, 'A', 'alice'))
    queue.add(entry('b1', 'A', 'bob'))
    queue.add(entry('c1', 'C', 'carol'))
    expect(drain(queue)).toEqual(['a1', 'c1', 'b1', 'a2', 'a3'])
  })

  test('when a network asks again after its turn, then it waits behind the others', () => {
    const queue = createPasswordQueue<Entry>()
    queue.add(entry('a1', 'A', 'alice'))
    queue.add(entry('b1', 'B', 'bob'))
    expect(queue.next()?.id).toBe('a1')
    queue.add(entry('a2', 'A', 'alice'))
    expect(drain(queue)).toEqual(['b1', 'a2'])
  })

  test('then every second check is for a client that has logged in before', () => {
    const queue = createPasswordQueue<Entry>()
    for (const id of ['x1', 'x2', 'x3']) queue.add(entry(id, id, 'nobody'))
    for (const id of ['k1', 'k2']) queue.add(entry(id, id, 'alice', true))
    expect(drain(queue)).toEqual(['k1', 'x1', 'k2', 'x2', 'x3'])
  })

  test('when one name fills its share, then its oldest attempt loses its place', () => {
    const queue = createPasswordQueue<Entry>()
    for (let index = 0; index < WAITING_OF_NAME_MAX; index++)
      expect(queue.add(entry(`${index}`, 'A', 'alice'))).toEqual([])
    expect(queue.add(entry('last', 'A', 'alice')).map(({ id }) => id)).toEqual(['0'])
    expect(queue.add(entry('other', 'A', 'bob'))).toEqual([])
    expect(drain(queue)).toEqual(['1', 'other', '2', '3', 'last'])
  })

  test('when one network has sent more than its share, then others still have a place', () => {
    const queue = createPasswordQueue<Entry>()
    let lost = 0
    for (let index = 0; index < 500; index++) lost += queue.add(entry(`${index}`, 'A', `${index}`)).length
    expect(lost).toBe(500 - WAITING_OF_NETWORK_MAX)
    expect(queue.add(entry('mine', 'B', 'alice'))).toEqual([])
    expect(queue.next()?.client.network).toBe('A')
    expect(queue.next()?.id).toBe('mine')
  })

  test('when many networks fill the queue, then the one with most attempts loses one, never a new one', () => {
    const queue = createPasswordQueue<Entry>()
    for (let network = 0; network < 16; network++)
      for (let index = 0; index < 2; index++) queue.add(entry(`${network}`, `N${network}`, `${index}`))
    const lost = queue.add(entry('mine', 'B', 'alice'))
    expect(lost.map(({ client }) => client.network)).toEqual(['N0'])
    expect(drain(queue)).toContain('mine')
  })

  test('when attackers fill the queue, then clients that have logged in before lose nothing', () => {
    const queue = createPasswordQueue<Entry>()
    queue.add(entry('mine', 'A', 'alice', true))
    for (let index = 0; index < 500; index++) queue.add(entry('other', `N${index}`, 'alice'))
    expect(queue.next()?.id).toBe('mine')
  })

  test('then dear hashes are bounded by what they cost, and one alone is taken', () => {
    const queue = createPasswordQueue<Entry>()
    expect(queue.add(entry('huge', 'A', 'alice', false, 1_000))).toEqual([])
    expect(queue.add(entry('0', 'B', 'bob', false, 16)).map(({ id }) => id)).toEqual(['huge'])
    for (const id of ['1', '2', '3']) expect(queue.add(entry(id, id, 'bob', false, 16))).toEqual([])
    expect(queue.add(entry('4', '4', 'bob', false, 16)).length).toBe(1)
  })
})

describe('given any arrivals and turns', () => {
  test('then each entry leaves once, the bounds hold, and a network waits for one turn of each other', () => {
    const arrival = fc.record({ network: fc.nat(5), name: fc.nat(3), isKnown: fc.boolean() })
    fc.assert(
      fc.property(fc.array(fc.option(arrival, { freq: 3 }), { maxLength: 300 }), steps => {
        const queue = createPasswordQueue<Entry>()
        const waiting = new Map<string, Entry>()
        const leave = ({ id }: Entry): void => expect(waiting.delete(id)).toBe(true)
        for (const [id, step] of steps.entries()) {
          if (step === null) {
            const next = queue.next()
            expect(next === undefined).toBe(waiting.size === 0)
            if (next !== undefined) leave(next)
            continue
          }
          const added = entry(`${id}`, `N${step.network}`, `${step.name}`, step.isKnown)
          waiting.set(added.id, added)
          queue.add(added).forEach(leave)
          expect(waiting.size).toBeLessThanOrEqual(2 * PASSWORDS_WAITING_MAX)
        }
        queue.clear().forEach(leave)
        expect(waiting.size).toBe(0)
      }),
    )
  })
})
