import { describe, expect, test } from 'bun:test'
import { clearQueues, createPeerQueues, dequeue, enqueue } from '../../../../p2p/sync/pool/peerQueues.ts'

type Item = { readonly of: string; readonly index: number; readonly bytes: number }

const LIMITS = { peerItemsMax: 8, itemsMax: 12, bytesMax: 1_000 }

const queues = (limits = LIMITS) => {
  const dropped: Item[] = []
  const of = createPeerQueues<Item>(
    limits,
    ({ bytes }) => bytes,
    item => void dropped.push(item),
  )
  const put = (peer: string, count: number, bytes = 1): number => {
    let taken = 0
    for (let index = 0; index < count; index++) if (enqueue(of, peer, { of: peer, index, bytes })) taken++
    return taken
  }
  const take = (count: number) => dequeue(of, count).map(({ of: peer, index }) => `${peer}${index}`)
  return { of, put, take, dropped }
}

describe('given a peer that floods', () => {
  test('when another peer sends one item, then it is taken after at most 16 of the flood', () => {
    const { put, take } = queues({ ...LIMITS, peerItemsMax: 1_000, itemsMax: 2_000 })
    put('flood', 1_000)
    put('honest', 1)
    expect(take(128).indexOf('honest0')).toBeLessThanOrEqual(16)
  })

  test('when it is the only peer, then it has every turn, in the order of its items', () => {
    const { put, take, of } = queues()
    put('flood', 5)
    expect(take(3)).toEqual(['flood0', 'flood1', 'flood2'])
    expect(take(3)).toEqual(['flood3', 'flood4'])
    expect(of.size).toBe(0)
  })

  test('when its queue is full, then its further items are rejected, and other peers have room', () => {
    const { put, of } = queues()
    expect(put('flood', 20)).toBe(8)
    expect(put('honest', 4)).toBe(4)
    expect(of.size).toBe(12)
  })

  test('when all queues together are full, then the longest drops its last item for another peer', () => {
    const { put, of, dropped } = queues()
    put('flood', 8)
    put('other', 4)
    expect(put('honest', 1)).toBe(1)
    expect(dropped).toEqual([{ of: 'flood', index: 7, bytes: 1 }])
    expect(of.size).toBe(12)
  })

  test('when its items are large, then its queue drops items to free bytes', () => {
    const { put, dropped } = queues()
    put('flood', 3, 300)
    put('honest', 5, 20)
    expect(put('honest', 1, 20)).toBe(1)
    expect(dropped).toEqual([{ of: 'flood', index: 2, bytes: 300 }])
    expect(put('flood', 1, 800)).toBe(0)
  })
})

test('given items of several peers, when the queues are cleared, then they are empty', () => {
  const { put, of } = queues()
  put('a', 2)
  put('b', 1)
  expect(clearQueues(of)).toHaveLength(3)
  expect(of.size).toBe(0)
  expect(dequeue(of, 1)).toEqual([])
})
