import { describe, expect, test } from 'bun:test'
import type { Verdict } from '../../../../p2p/sync/pool/messageValidation.ts'
import { createPeerStandings } from '../../../../p2p/sync/pool/peerUsefulness.ts'

const standings = () => {
  let nowMs = 0
  const of = createPeerStandings(() => nowMs)
  return {
    judged: (peer: string, verdict: Verdict, count: number) => {
      for (let index = 0; index < count; index++) of.judged(peer, verdict)
    },
    /** How many of so many are judged. */
    admitted: (peer: string, count: number) =>
      Array.from({ length: count }, () => of.admits(peer)).filter(Boolean).length,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('given a peer whose transactions are nearly all worthless', () => {
  const slowed = () => {
    const made = standings()
    made.judged('flooder', 'worthless', 200)
    made.judged('flooder', 'useful', 20)
    return made
  }

  test('when it sends on then 100 a second of it are judged', () => {
    const { admitted, pass } = slowed()
    expect(admitted('flooder', 5_000)).toBe(100)
    pass(1_000)
    expect(admitted('flooder', 5_000)).toBe(100)
  })

  test('when other peers send then all of theirs are judged', () => {
    const { admitted } = slowed()
    expect(admitted('honest', 5_000)).toBe(5_000)
  })

  test('when what it sends becomes useful then all of it is judged again', () => {
    const { judged, admitted } = slowed()
    judged('flooder', 'useful', 500)
    expect(admitted('flooder', 5_000)).toBe(5_000)
  })
})

describe('given a peer that forwards a few worthless transactions', () => {
  test('when it sends on then all of its are judged', () => {
    const { judged, admitted } = standings()
    judged('honest', 'worthless', 100)
    expect(admitted('honest', 5_000)).toBe(5_000)
    judged('honest', 'useful', 400)
    judged('honest', 'worthless', 300)
    expect(admitted('honest', 5_000)).toBe(5_000)
  })

  test('when they are known or dropped then they do not count', () => {
    const { judged, admitted } = standings()
    judged('honest', 'known', 5_000)
    judged('honest', 'dropped', 5_000)
    expect(admitted('honest', 5_000)).toBe(5_000)
  })
})
