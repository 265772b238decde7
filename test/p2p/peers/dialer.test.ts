import { describe, expect, test } from 'bun:test'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { createDialer, type Dialer, type Kind } from '../../../p2p/peers/dialer.ts'
import type { Enode } from '../../../p2p/transport/enode.ts'
import { idOf } from '../../../p2p/transport/identity.ts'
import { testKey } from '../../runtime/genesis.ts'

const nothing = (): undefined => undefined

/** A node by the number of its key, which is its port, too. */
const node = (index: number): Enode => ({
  publicKey: publicKeyOf(testKey(index)),
  host: '127.0.0.1',
  port: index,
  discoveryPort: index,
})
const BOOTNODE = node(1)
const STATIC = node(2)
const LEARNED = node(3)

type Dialing = {
  readonly dialer: Dialer
  /** Ports dialed at this time, in their order. */
  readonly dialedAt: (nowMs: number) => Promise<readonly number[]>
  /** What was logged, in its order. */
  readonly lines: readonly string[]
}

/** A dialer whose dials all fail. */
const start = (bootnodesFirst: boolean, nodes: readonly (readonly [Enode, Kind])[]): Dialing => {
  let nowMs = 0
  let dialed: number[] = []
  const lines: string[] = []
  const dialer = createDialer({
    dial: async ({ port }) => {
      dialed.push(port)
      throw new Error(`nobody listens at ${port}`)
    },
    isConnected: () => false,
    isBanned: () => false,
    refuses: () => undefined,
    isValidator: () => false,
    isLower: () => false,
    bootnodesFirst,
    freeSlots: () => 25,
    dialsMax: 16,
    nowMs: () => nowMs,
    log: {
      debug: nothing,
      info: (_, values) => void lines.push(String(values?.['reason'])),
      warn: nothing,
      error: nothing,
    },
  })
  for (const [enode, kind] of nodes) dialer.add(enode, kind)
  return {
    dialer,
    lines,
    dialedAt: async atMs => {
      nowMs = atMs
      dialed = []
      dialer.tick()
      await Promise.resolve()
      return dialed
    },
  }
}

const ALL = [
  [BOOTNODE, 'bootnode'],
  [STATIC, 'static'],
  [LEARNED, 'learned'],
] as const

describe('given a node that dials its bootnodes first', () => {
  test('when it starts, then it dials them alone; when a node is connected, then all', async () => {
    const { dialer, dialedAt } = start(true, ALL)
    expect(await dialedAt(1)).toEqual([1])
    dialer.onConnected(idOf(LEARNED.publicKey))
    expect(await dialedAt(2)).toEqual([2, 3])
  })

  test('when none can be reached, then it dials the others after three attempts', async () => {
    const { dialedAt } = start(true, ALL)
    const seen: (readonly number[])[] = []
    for (const atMs of [1, 10_000, 20_000, 30_000]) seen.push(await dialedAt(atMs))
    expect(seen).toEqual([[1], [1], [1], [1, 2, 3]])
  })

  test('when a bootnode is a static node, too, then it is dialed', async () => {
    const { dialedAt } = start(true, [
      [BOOTNODE, 'bootnode'],
      [BOOTNODE, 'static'],
      [LEARNED, 'learned'],
    ])
    expect(await dialedAt(1)).toEqual([1])
  })

  test('when it has no bootnode, then it dials all', async () => {
    expect(await start(true, ALL.slice(1)).dialedAt(1)).toEqual([2, 3])
  })
})

test('given a node without a list of nodes, when it starts, then it dials all', async () => {
  expect(await start(false, ALL).dialedAt(1)).toEqual([1, 2, 3])
})

test('given a static node of two addresses, when nobody listens at either for minutes, then each is logged once', async () => {
  const { dialedAt, lines } = start(false, [
    [STATIC, 'static'],
    [{ ...STATIC, port: 9 }, 'static'],
  ])
  const dialed: number[] = []
  for (let atMs = 10_000; atMs < 300_000; atMs += 10_000) dialed.push(...(await dialedAt(atMs)))
  expect(dialed.filter(port => port === 9).length).toBeGreaterThan(10)
  expect(lines.toSorted()).toEqual(['nobody listens at 2', 'nobody listens at 9'])
})
