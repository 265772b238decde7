import { describe, expect, test } from 'bun:test'
import type { Input } from '../../../../core/qbft/input.ts'
import { createInputQueue } from '../../../../runtime/consensus/inputs/inputQueue.ts'
import { testAddress } from '../../genesis.ts'

const message = (peer: number, bytes = 1): Input => ({
  kind: 'message',
  message: { code: 0x13, data: new Uint8Array(bytes) },
  peer: testAddress(peer),
})

const local: Input = { kind: 'transactions-waiting' }

describe('the queue of inputs of a validator', () => {
  test('given inputs of peers and of this node, then they leave the queue in the order in which they entered', () => {
    const queue = createInputQueue(10_000)
    const inputs = Array.from({ length: 3_000 }, (_, index) => (index % 3 === 0 ? local : message(index % 3)))
    for (const input of inputs) expect(queue.push(input)).toBe(true)
    expect(inputs.every(input => queue.shift() === input)).toBe(true)
    expect(queue.shift()).toBeUndefined()
    expect(queue.size).toBe(0)
  })

  test('when too many messages wait, then further messages are refused, and inputs of this node are not', () => {
    const queue = createInputQueue(10)
    const taken = Array.from({ length: 100 }, () => queue.push(message(1))).filter(Boolean)
    expect(taken).toHaveLength(10)
    expect(queue.push(local)).toBe(true)
  })

  test('when one peer fills the queue, then another one still has its share', () => {
    const queue = createInputQueue(10)
    for (let i = 0; i < 100; i++) queue.push(message(1))
    expect([1, 2, 3, 4, 5].filter(() => queue.push(message(2)))).toHaveLength(3)
    expect(queue.push(message(1))).toBe(false)
  })

  test('when messages are large, then their bytes are bounded too, and those of some leave a share to others', () => {
    const queue = createInputQueue(1_000)
    const mebibyte = 1024 * 1024
    const taken = (peer: number): number =>
      Array.from({ length: 100 }, () => queue.push(message(peer, mebibyte))).filter(Boolean).length
    expect([1, 2, 3, 4, 5, 6].map(taken)).toEqual([17, 17, 17, 13, 10, 9])
    expect(taken(5)).toBe(0)
    for (let i = 0; i < 20; i++) queue.shift()
    expect(queue.push(message(1, mebibyte))).toBe(true)
  })
})
