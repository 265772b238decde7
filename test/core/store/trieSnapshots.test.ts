import { describe, expect, test } from 'bun:test'
import {
  createTrieSnapshots,
  SnapshotExpired,
  SNAPSHOT_NODES_MAX,
} from '../../../core/store/trieSnapshots.ts'
import type { TrieNodeWrite } from '../../../core/trie/nodes/node.ts'

const bytes = (value: number): Uint8Array => Uint8Array.of(value)

/** Records that change as blocks change them. */
const records = () => {
  const stored = new Map<string, Uint8Array>()
  const pins = createTrieSnapshots({ get: key => stored.get(key) })
  const commit = (writes: readonly TrieNodeWrite[]): void => {
    pins.keep(writes)
    for (const { key, value } of writes)
      if (value === undefined) stored.delete(key)
      else stored.set(key, value)
  }
  return { pins, commit }
}

const many = (count: number, value: number): TrieNodeWrite[] =>
  Array.from({ length: count }, (_, index) => ({ key: `many${index}`, value: bytes(value) }))

describe('given snapshots of trie records', () => {
  test('when records are changed, removed and added, then each snapshot keeps its own', () => {
    const { pins, commit } = records()
    commit([
      { key: 'a', value: bytes(1) },
      { key: 'b', value: bytes(1) },
    ])
    const first = pins.take()
    commit([
      { key: 'a', value: bytes(2) },
      { key: 'b', value: undefined },
      { key: 'c', value: bytes(2) },
    ])
    const second = pins.take()
    commit([{ key: 'a', value: bytes(3) }])
    const read = (pin: typeof first): unknown[] => ['a', 'b', 'c', 'd'].map(key => pin.nodes.get(key)?.[0])
    expect(read(first)).toEqual([1, 1, undefined, undefined])
    expect(read(second)).toEqual([2, undefined, 2, undefined])
  })

  test('when more records are overwritten than kept, then reads throw SnapshotExpired', () => {
    const { pins, commit } = records()
    const early = pins.take()
    commit(many(SNAPSHOT_NODES_MAX - 1, 1))
    expect(early.nodes.get('many5')).toBeUndefined()
    const late = pins.take()
    commit(many(2, 2))
    expect(() => early.nodes.get('other')).toThrow(SnapshotExpired)
    expect(late.nodes.get('many0')).toEqual(bytes(1))
  })

  test('when they are released, then a block costs nothing more', () => {
    let reads = 0
    const pins = createTrieSnapshots({
      get: () => {
        reads++
        return undefined
      },
    })
    const pin = pins.take()
    pins.keep(many(3, 1))
    expect(reads).toBe(3)
    pin.release()
    pins.keep(many(3, 2))
    expect(reads).toBe(3)
  })

  test('when the store must load a record first, then a block goes on and the snapshot expires', () => {
    const pins = createTrieSnapshots({
      get: () => {
        throw new Error('must be loaded')
      },
    })
    const pin = pins.take()
    pins.keep(many(1, 1))
    expect(() => pin.nodes.get('many0')).toThrow(SnapshotExpired)
  })
})
