import { describe, expect, test } from 'bun:test'
import { createGossipRates } from '../../../p2p/gossip/gossipRates.ts'

describe('given a peer that sends as much as all peers together may', () => {
  const flooded = () => {
    const reported: string[] = []
    const rates = createGossipRates(
      () => 0,
      peer => void reported.push(peer),
    )
    let accepted = 0
    // Four seconds of its highest rate, in messages of 500.
    for (let sent = 0; sent < 64_000; sent += 500) if (rates.admits('flooder', 500, 60_000)) accepted += 500
    return { rates, reported, accepted }
  }

  test('when another peer sends a message, then it is accepted', () => {
    const { rates } = flooded()
    expect(rates.admits('honest', 1, 120)).toBe(true)
    expect(rates.admits('honest', 500, 60_000)).toBe(true)
  })

  test('when it goes on, then the limit of all peers applies, and it is reported above the limit of one peer', () => {
    const { rates, reported, accepted } = flooded()
    expect(accepted).toBeLessThanOrEqual(4 * (8_000 + 200))
    expect(reported).toEqual([])
    expect(rates.admits('flooder', 16_000, 60_000)).toBe(false)
    expect(reported).toEqual(['flooder'])
  })
})
