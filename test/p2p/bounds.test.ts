import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../core/bytes/hex.ts'
import { addressOfPublicKey, keccak256, publicKeyOf } from '../../core/crypto/crypto.ts'
import { createDialer, type Dialer, type DialerOptions } from '../../p2p/peers/dialer.ts'
import type { Enode } from '../../p2p/transport/enode.ts'
import { createRecentHashes } from '../../p2p/gossip/recentHashes.ts'
import { createScoring } from '../../p2p/peers/scoring.ts'
import { createTokenBucket } from '../../p2p/transport/tokenBucket.ts'
import { turns } from '../support/turns.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const keyOf = (n: number): Uint8Array => {
  const privateKey = new Uint8Array(32)
  new DataView(privateKey.buffer).setUint32(28, n + 1)
  return publicKeyOf(privateKey)
}
const enodeOf = (n: number): Enode => ({ publicKey: keyOf(n), host: '127.0.0.1', port: 30_303 })
const idOf = (n: number): string => toBareHex(addressOfPublicKey(keyOf(n)))

describe('given a token bucket', () => {
  test('when tokens are taken, then it allows the burst, then the rate, and returns the wait', () => {
    let now = 0
    const bucket = createTokenBucket(10, 5, () => now)
    expect([1, 2, 3, 4, 5].map(() => bucket.take(1))).toEqual([0, 0, 0, 0, 0])
    expect(bucket.take(1)).toBe(100)
    now = 200
    expect(bucket.take(1)).toBe(0)
    now = 1_000_000
    expect(bucket.take(5)).toBe(0)
    expect(bucket.take(5)).toBe(500)
  })

  test('when the clock is set back, then no tokens are added or taken', () => {
    let now = 1_000_000
    const bucket = createTokenBucket(10, 5, () => now)
    bucket.take(5)
    now = 0
    expect(bucket.take(1)).toBe(100)
    now = 100
    expect(bucket.take(0)).toBe(0)
  })
})

describe('given recent hashes', () => {
  const hashOf = (n: number): Uint8Array => keccak256(Uint8Array.of(n))
  const [a, b, c] = [hashOf(1), hashOf(2), hashOf(3)]

  test('when there are too many, then the oldest are evicted', () => {
    const hashes = createRecentHashes(2)
    expect([hashes.add(a), hashes.add(a.slice()), hashes.add(b), hashes.add(c)]).toEqual([
      true,
      false,
      true,
      true,
    ])
    expect([a, b, c].map(hash => hashes.has(hash))).toEqual([false, true, true])
  })

  test('when many are added, then at most the limit is kept, and at least half of it', () => {
    const hashes = createRecentHashes(10)
    for (let last = 0; last < 100; last++) {
      expect(hashes.add(hashOf(last))).toBe(true)
      const kept = Array.from({ length: last + 1 }, (_, n) => n).filter(n => hashes.has(hashOf(n)))
      expect(kept.length).toBeLessThanOrEqual(10)
      expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => last - kept.length + 1 + index))
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(5, last + 1))
    }
  })

  test('when one is deleted, then it is absent, and can be added again', () => {
    const hashes = createRecentHashes(4)
    for (const hash of [a, b, c]) hashes.add(hash)
    for (const hash of [a, c]) hashes.delete(hash)
    expect([a, b, c].map(hash => hashes.has(hash))).toEqual([false, true, false])
    expect([hashes.add(a), hashes.add(b)]).toEqual([true, false])
  })
})

describe('given the score of a peer', () => {
  const scoringAt = (clock: { now: number }, isStatic = false): ReturnType<typeof createScoring> =>
    createScoring({ nowMs: () => clock.now, log: silent, isStatic: () => isStatic })

  test('when the peer misbehaves, then grave offences ban at once, others add up, and points are forgiven over time', () => {
    const clock = { now: 0 }
    const scoring = scoringAt(clock)
    expect(scoring.report('a', 'a', 'invalid-block', '')).toBe(true)
    expect([1, 2, 3, 4, 5].map(() => scoring.report('b', 'b', 'flooding', ''))).toEqual([
      false,
      false,
      false,
      false,
      true,
    ])
    for (let i = 0; i < 1000; i++) {
      clock.now += 60_000
      expect(scoring.report('c', 'c', 'invalid-message', '')).toBe(false)
    }
    expect(scoring.isBanned('a')).toBe(false)
  })

  test('when a static node is banned, then the ban is shorter, and the operator can lift it', () => {
    const clock = { now: 0 }
    const scoring = scoringAt(clock)
    const strict = scoringAt(clock, true)
    scoring.report('a', 'a', 'oversized-message', '')
    strict.report('a', 'a', 'oversized-message', '')
    clock.now = 31_000
    expect([scoring.isBanned('a'), strict.isBanned('a')]).toEqual([true, false])
    scoring.forgive('a')
    expect(scoring.isBanned('a')).toBe(false)
  })
})

describe('given a dialer', () => {
  const dialerAt = (clock: { now: number }, dialed: number[], changes: Partial<DialerOptions> = {}): Dialer =>
    createDialer({
      dial: enode => {
        dialed.push(enode.port)
        return Promise.reject(new Error('unreachable'))
      },
      isConnected: () => false,
      isBanned: () => false,
      refuses: () => undefined,
      isValidator: () => false,
      isLower: () => false,
      freeSlots: () => 10,
      dialsMax: 16,
      nowMs: () => clock.now,
      log: silent,
      ...changes,
    })

  const settle = (): Promise<void> => turns(1)

  test('when a static node is away, then it is dialed without end, at most five seconds apart', async () => {
    const clock = { now: 0 }
    const dialed: number[] = []
    const dialer = dialerAt(clock, dialed)
    dialer.add(enodeOf(1), 'static')
    const times: number[] = []
    for (; clock.now < 120_000; clock.now += 250) {
      const before = dialed.length
      dialer.tick()
      await settle()
      if (dialed.length > before) times.push(clock.now)
    }
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number))
    expect(gaps[0]).toBeLessThanOrEqual(500)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5250)
    expect(times.length).toBeGreaterThan(20)
    clock.now = 0
    dialer.tick()
    expect(dialed.length).toBe(times.length + 1)
  })

  test('when nodes are learned, then their number is limited, failures remove them, and they are not dialed without free slots', async () => {
    const clock = { now: 0 }
    const dialed: number[] = []
    const freeSlots = { left: 0 }
    const dialer = dialerAt(clock, dialed, { freeSlots: () => freeSlots.left })
    const added = Array.from({ length: 300 }, (_, n) => dialer.add(enodeOf(n), 'learned'))
    expect(added.filter(Boolean).length).toBe(256)
    dialer.tick()
    expect(dialed).toEqual([])
    freeSlots.left = 3
    dialer.tick()
    expect(dialed.length).toBe(3)
    await settle()
    freeSlots.left = 300
    for (; clock.now < 600_000; clock.now += 1000) {
      dialer.tick()
      await settle()
    }
    expect(dialed.length).toBe(256 * 6)
    expect(dialer.add(enodeOf(299), 'learned')).toBe(true)
  })

  test('when a learned node is a validator, then it is dialed as long as it is one', async () => {
    const clock = { now: 0 }
    const dialed: number[] = []
    const validators = new Set([idOf(1), idOf(2)])
    const dialer = dialerAt(clock, dialed, {
      isValidator: publicKey => validators.has(toBareHex(addressOfPublicKey(publicKey))),
      freeSlots: () => 300,
    })
    for (const n of [1, 2, 3]) dialer.add({ ...enodeOf(n), port: n }, 'learned')
    const during = async (ms: number): Promise<readonly number[]> => {
      dialed.length = 0
      for (const endMs = clock.now + ms; clock.now < endMs; clock.now += 1000) {
        dialer.tick()
        await settle()
      }
      return [...new Set(dialed)].toSorted((a, b) => a - b)
    }
    expect(await during(60_000)).toEqual([1, 2, 3])
    expect(await during(600_000)).toEqual([1, 2])
    // Further learned nodes do not evict them.
    for (let n = 10; n < 400; n++) dialer.add({ ...enodeOf(n), port: 9 }, 'learned')
    expect(await during(60_000)).toEqual([1, 2, 9])
    validators.delete(idOf(2))
    await during(60_000)
    expect(await during(60_000)).toEqual([1])
  })

  test('when a node is refused, banned or connected, then it is not dialed', async () => {
    const dialed: number[] = []
    const clock = { now: 0 }
    for (const changes of [{ refuses: () => 'no' }, { isBanned: () => true }, { isConnected: () => true }]) {
      const dialer = dialerAt(clock, dialed, changes)
      dialer.add(enodeOf(1), 'static')
      dialer.tick()
    }
    await settle()
    expect(dialed).toEqual([])
  })

  test('when an address fails, then the next one is tried; learned addresses replace none of the operator', async () => {
    const clock = { now: 0 }
    const dialed: number[] = []
    const dialer = dialerAt(clock, dialed)
    dialer.add({ ...enodeOf(1), port: 1 }, 'static')
    dialer.add({ ...enodeOf(1), port: 2 }, 'bootnode')
    dialer.add({ ...enodeOf(1), port: 3 }, 'learned')
    for (; clock.now < 10_000; clock.now += 250) {
      dialer.tick()
      await settle()
    }
    expect(new Set(dialed)).toEqual(new Set([1, 2]))
    expect(dialer.isStatic(idOf(1))).toBe(true)
    expect([dialer.removeStatic(idOf(1)), dialer.removeStatic(idOf(1))]).toEqual([true, false])
  })
})
