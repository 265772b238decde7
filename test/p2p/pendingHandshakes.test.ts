import { describe, expect, test } from 'bun:test'
import {
  createPendingHandshakes,
  type PendingHandshake,
  type PendingHandshakes,
} from '../../p2p/pendingHandshakes.ts'

const PLACES = 4

const tableOf = (
  options: { readonly silent?: readonly string[]; readonly known?: readonly string[] } = {},
) => {
  const clock = { nowMs: 0 }
  const evicted: string[] = []
  const pending = createPendingHandshakes({
    placesMax: PLACES,
    nowMs: () => clock.nowMs,
    isSilent: host => options.silent?.includes(host) ?? false,
    isKnown: host => options.known?.includes(host) ?? false,
  })
  const open = (host: string, name = host, hasSent = false): ReturnType<PendingHandshakes['add']> => {
    const entry: PendingHandshake = {
      host,
      openedAtMs: clock.nowMs,
      hasSent,
      evict: () => void evicted.push(name),
    }
    return pending.add(entry)
  }
  return { clock, evicted, open, pending }
}

describe('given a full table of handshakes', () => {
  test('when another connection comes, then the one that is silent for the longest makes room', () => {
    const { clock, evicted, open, pending } = tableOf()
    for (const name of ['a', 'b', 'c', 'd']) open(name, name, name === 'a')
    clock.nowMs = 200
    expect(open('e')).toBeDefined()
    expect(evicted).toEqual(['b'])
    expect(pending.size).toBe(PLACES)
  })

  test('when all are new, then another connection is refused, unless its host is known', () => {
    const { evicted, open } = tableOf({ known: ['validator'] })
    for (const name of ['a', 'b', 'c', 'd']) open(name)
    expect(open('e')).toBeUndefined()
    expect(open('validator')).toBeDefined()
    expect(evicted).toEqual(['a'])
  })

  test('when an address is often silent, then its connections make room at once', () => {
    const { evicted, open } = tableOf({ silent: ['x'] })
    open('a')
    for (const name of ['x1', 'x2', 'x3']) open('x', name)
    expect(open('b')).toBeDefined()
    expect(evicted).toEqual(['x1'])
  })

  test('when those of a known host are the oldest, then a stranger does not evict them', () => {
    const { clock, evicted, open } = tableOf({ known: ['validator'] })
    open('validator')
    for (const name of ['a', 'b', 'c']) open(name)
    clock.nowMs = 5_000
    open('d')
    expect(evicted).toEqual(['a'])
  })

  test('when all have sent a part and then nothing, then the oldest makes room', () => {
    const { clock, evicted, open } = tableOf()
    for (const name of ['a', 'b', 'c', 'd']) open(name, name, true)
    expect(open('e')).toBeUndefined()
    clock.nowMs = 500
    expect(open('e')).toBeDefined()
    expect(evicted).toEqual(['a'])
  })

  test('when one completes, then its place is free', () => {
    const { evicted, open } = tableOf()
    const release = open('a')
    for (const name of ['b', 'c', 'd']) open(name)
    release?.()
    expect(open('e')).toBeDefined()
    expect(evicted).toEqual([])
  })
})
