import { afterEach, describe, expect, jest, test } from 'bun:test'
import { decodeReplicaHead, heightOf, type ReplicaHead } from '../../../core/store/replica/replicaHead.ts'
import type { SharedStore } from '../../../runtime/drivers/shared.ts'
import { FENCED_CHECK_MS, FENCED_SILENCE_MS } from '../../../runtime/replicate/limits.ts'
import {
  replicatedChain,
  type ReplicatedChain,
  startReplication,
} from '../../../runtime/replicate/replication.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { sharedMemory } from '../../support/stores/replica.ts'
import { storeChain } from '../../support/stores/storedChain.ts'
import { until } from '../../support/until.ts'

const sample = sampleChain({ seed: 82, blocks: 60, accounts: 4, slots: 1, changesMax: 2, transactionsMax: 2 })

/** Turns of promises in which a write to a store in memory ends. */
const TURNS = 2_000

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  jest.useRealTimers()
  for (const end of ends.splice(0).reverse()) await end()
})

/** A store, and nodes that fill it. */
const newTarget = () => {
  const items = new Map<string, Uint8Array>()
  const kv = sharedMemory(items)
  const target: SharedStore = { name: 'memory', consistency: 'transactional', open: async () => kv }
  const stored = async () => {
    const value = await kv.get('replica')
    return value === undefined ? undefined : decodeReplicaHead(value)
  }
  const start = (chain: ReplicatedChain) => {
    const lines: string[] = []
    const line = (text: string): void => void lines.push(text)
    const replication = startReplication({ chain, target, log: { info: line, warn: line, error: line } })
    ends.push(() => replication.stop())
    return { ...replication, lines }
  }
  const untilHeight = (height: number) =>
    until(async () => {
      const replica = await stored()
      return replica !== undefined && heightOf(replica) === height
    })
  return { items, stored, start, untilHeight }
}

const newChain = async (number: number) => {
  const stored = await storeChain(sample, number)
  ends.push(() => stored.close())
  return { ...stored, replicated: replicatedChain(stored.chain) }
}

describe('two nodes with one target', () => {
  test('given a second node that is behind the replica, then the first goes on, and the second begins once it has the blocks', async () => {
    const { start, stored, untilHeight } = newTarget()
    const [ahead, behind] = [await newChain(30), await newChain(10)]
    const first = start(ahead.replicated)
    await untilHeight(30)
    const { writer } = (await stored()) as ReplicaHead
    const second = start(behind.replicated)
    await until(() => second.lines.some(line => line.includes('once it has that block')))
    await ahead.growTo(35)
    await untilHeight(35)
    expect((await stored())?.writer).toEqual(writer)
    expect(first.status().reason).toBeUndefined()
    await behind.growTo(40)
    await untilHeight(40)
    expect((await stored())?.writer).not.toEqual(writer)
  })

  test('given a second node with another block, then it is refused, and does not lock out the first', async () => {
    const { start, stored, untilHeight } = newTarget()
    const [right, wrong] = [await newChain(30), await newChain(30)]
    const first = start(right.replicated)
    await untilHeight(30)
    const { writer } = (await stored()) as ReplicaHead
    const second = start({ ...wrong.replicated, hashOf: async () => new Uint8Array(32) })
    await until(() => second.status().reason !== undefined)
    expect(second.status().reason).toContain('its block 30 is another one')
    await right.growTo(40)
    await untilHeight(40)
    expect((await stored())?.writer).toEqual(writer)
    expect(first.status().reason).toBeUndefined()
  })

  test('given a node that was locked out, then it takes over after a silence, but not while there is nothing to write', async () => {
    const { start, stored } = newTarget()
    const [locked, other] = [await newChain(20), await newChain(20)]
    jest.useFakeTimers()
    const settle = async (): Promise<void> => {
      for (let turn = 0; turn < TURNS; turn++) await Promise.resolve()
    }
    const passSilence = async (): Promise<void> => {
      for (let ms = 0; ms <= FENCED_SILENCE_MS + FENCED_CHECK_MS; ms += FENCED_CHECK_MS) {
        jest.advanceTimersByTime(FENCED_CHECK_MS)
        await settle()
      }
    }
    const writerNow = async () => (await stored())?.writer
    start(locked.replicated)
    await settle()
    start(other.replicated)
    await settle()
    const writer = await writerNow()
    await locked.growTo(21)
    await other.growTo(21)
    await settle()
    await passSilence()
    expect(await writerNow()).toEqual(writer as Uint8Array)
    // The other node does not get this block.
    await locked.growTo(22)
    await passSilence()
    expect(await writerNow()).not.toEqual(writer as Uint8Array)
    expect(heightOf((await stored()) as ReplicaHead)).toBe(22)
  })
})

test('given a store that loses the last writes of a node, as after a failover, then they are written again at once', async () => {
  const { items, start, untilHeight } = newTarget()
  const chain = await newChain(20)
  const { lines, status } = start(chain.replicated)
  await untilHeight(20)
  const before = new Map(items)
  await chain.growTo(30)
  await untilHeight(30)
  items.clear()
  for (const [key, value] of before) items.set(key, value)
  await chain.growTo(31)
  await untilHeight(31)
  expect(lines.some(line => line.includes('has stopped filling'))).toBe(false)
  await until(() => status().blocks === 0 && status().reason === undefined)
})
