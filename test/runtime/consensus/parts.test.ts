import { describe, expect, test } from 'bun:test'
import type { Timer } from '../../../core/qbft/input.ts'
import type { Peer } from '../../../p2p/network.ts'
import { relayTo } from '../../../runtime/consensus/delivery.ts'
import { createTimers } from '../../../runtime/consensus/inputs/timers.ts'
import { testAddress } from '../genesis.ts'
import { until } from '../../support/until.ts'
import { turns } from '../../support/turns.ts'

const peer = (index: number, neighbours: readonly number[]) =>
  ({
    address: testAddress(index),
    status: { neighbours: neighbours.map(testAddress) } as unknown as Peer['status'],
  }) satisfies Pick<Peer, 'address' | 'status'>

describe('relaying a message of another validator', () => {
  const message = { code: 0x13, data: new Uint8Array(0) }
  const to = [2, 3, 4, 5].map(testAddress)

  test('given its author is a peer, then the neighbours of the author do not get it again', () => {
    const effect = { kind: 'relay', message, author: testAddress(2), from: testAddress(2), to } as const
    const peers = [peer(2, [3]), peer(3, []), peer(4, [])]
    expect(relayTo(effect, peers)).toEqual([testAddress(4)])
  })

  test('given its author is not connected, then all peers but the sender get it', () => {
    const effect = { kind: 'relay', message, author: testAddress(5), from: testAddress(3), to } as const
    const peers = [peer(2, []), peer(3, []), peer(4, [])]
    expect(relayTo(effect, peers)).toEqual([testAddress(2), testAddress(4)])
  })
})

describe('the timers of the machine', () => {
  const block: Timer = { kind: 'block', sequence: 1n }

  test('given a time in the past, then the timer fires at once, in a later turn', async () => {
    const fired: Timer[] = []
    const timers = createTimers(timer => fired.push(timer))
    timers.start(block, 0)
    expect(fired).toEqual([])
    await until(() => fired.length > 0)
    expect(fired).toEqual([block])
  })

  test('given a time beyond what setTimeout takes, then it does not fire at once', async () => {
    const fired: Timer[] = []
    const timers = createTimers(timer => fired.push(timer))
    timers.start(block, Date.now() + 2 ** 31 + 1_000)
    const soon: Timer = { kind: 'round', sequence: 1n, round: 0 }
    timers.start(soon, Date.now() + 5)
    await until(() => fired.includes(soon))
    timers.stop()
    expect(fired).toEqual([soon])
  })

  test('given another of the same kind, then it replaces the one that runs', async () => {
    const fired: Timer[] = []
    const timers = createTimers(timer => fired.push(timer))
    timers.start(block, 0)
    timers.start({ ...block, sequence: 2n }, 0)
    timers.start({ kind: 'round', sequence: 2n, round: 0 }, 0)
    timers.cancel('round')
    await until(() => fired.length > 0)
    await turns(3)
    expect(fired).toEqual([{ kind: 'block', sequence: 2n }])
  })
})
