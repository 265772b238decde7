import { describe, expect, test } from 'bun:test'
import type { ValidationResult } from '../../../../p2p/sync/pool/messageValidation.ts'
import { createPeerUsefulness } from '../../../../p2p/sync/pool/peerUsefulness.ts'

const usefulness = () => {
  let nowMs = 0
  const of = createPeerUsefulness(() => nowMs)
  return {
    record: (peer: string, result: ValidationResult, count: number) => {
      for (let index = 0; index < count; index++) of.record(peer, result)
    },
    /** How many of that many transactions are validated. */
    admitted: (peer: string, count: number) =>
      Array.from({ length: count }, () => of.admits(peer)).filter(Boolean).length,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('given a peer whose transactions are nearly all worthless', () => {
  const slowed = () => {
    const made = usefulness()
    made.record('flooder', 'worthless', 200)
    made.record('flooder', 'useful', 20)
    return made
  }

  test('when it goes on, then 100 of its transactions a second are validated', () => {
    const { admitted, pass } = slowed()
    expect(admitted('flooder', 5_000)).toBe(100)
    pass(1_000)
    expect(admitted('flooder', 5_000)).toBe(100)
  })

  test('when other peers send, then all of their transactions are validated', () => {
    const { admitted } = slowed()
    expect(admitted('honest', 5_000)).toBe(5_000)
  })

  test('when its transactions become useful, then all of them are validated again', () => {
    const { record, admitted } = slowed()
    record('flooder', 'useful', 500)
    expect(admitted('flooder', 5_000)).toBe(5_000)
  })
})

describe('given a peer that forwards a few worthless transactions', () => {
  test('when it goes on, then all of its transactions are validated', () => {
    const { record, admitted } = usefulness()
    record('honest', 'worthless', 100)
    expect(admitted('honest', 5_000)).toBe(5_000)
    record('honest', 'useful', 400)
    record('honest', 'worthless', 300)
    expect(admitted('honest', 5_000)).toBe(5_000)
  })

  test('when others are known or dropped, then these do not count', () => {
    const { record, admitted } = usefulness()
    record('honest', 'known', 5_000)
    record('honest', 'dropped', 5_000)
    expect(admitted('honest', 5_000)).toBe(5_000)
  })
})
