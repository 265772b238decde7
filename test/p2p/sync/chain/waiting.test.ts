import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { nextBlock, openTestChain, transfer } from '../../../core/chain/support/chain.ts'
import { USERS, VALIDATORS } from '../../../core/chain/support/keys.ts'
import {
  captureLog,
  grow,
  logLines,
  type NodeOptions,
  reaches,
  type WiredNode,
  wireNode,
} from '../support/node.ts'
import { createWire, type Wire, type WireHandlers } from '../support/wire.ts'
import { until } from '../../../support/until.ts'
import { turns } from '../../../support/turns.ts'

setDefaultTimeout(120_000)

const [A, B, C] = VALIDATORS
const [ALICE] = USERS
const LOCAL = { local: true, addedAtMs: 0 }

type MakeNode = (
  key: (typeof VALIDATORS)[number],
  options?: NodeOptions & { readonly handlers?: Partial<WireHandlers> },
) => Promise<WiredNode>

/** A test with its own wire and nodes. These tests wait for seconds, and run concurrently. */
const onWire = (run: (wire: Wire, node: MakeNode) => Promise<void>) => async (): Promise<void> => {
  const wire = createWire(Date.now)
  const nodes: WiredNode[] = []
  try {
    await run(wire, async (key, options = {}) => {
      const made = await wireNode(wire, key, options)
      nodes.push(made)
      return made
    })
  } finally {
    for (const { sync, network } of nodes) {
      await sync.stop()
      await network.stop()
    }
  }
}

beforeAll(captureLog)

/** A node with more blocks, and one that is behind. */
const pair = async (wire: Wire, node: MakeNode): Promise<readonly [WiredNode, WiredNode]> => {
  const [one, other] = [await node(A), await node(B)]
  wire.connect(one.network, other.network)
  await until(() => one.network.peers().length === 1 && other.network.peers().length === 1)
  return [one, other]
}

describe('given a node with grace periods', () => {
  test.concurrent(
    'when it is one block behind, then consensus does not pause, and the block is requested after a while',
    onWire(async (wire, node) => {
      const full = await node(A)
      await grow(full.chain, 1)
      const other = await node(B)
      let rests = 0
      other.sync.onProgress(() => rests++)
      wire.connect(full.network, other.network)
      await reaches(other.chain, 1n)
      expect(rests).toBe(0)
    }),
  )

  test.concurrent(
    'when a peer is silent, then another peer is asked',
    onWire(async (wire, node) => {
      const chain = await openTestChain()
      await grow(chain, 30)
      const silent = await node(A, {
        chain,
        handlers: {
          async *blocks() {
            await new Promise(() => undefined)
            yield new Uint8Array(0)
          },
        },
      })
      const swift = await node(B, { chain })
      const empty = await node(C)
      wire.connect(silent.network, empty.network)
      await until(() => silent.network.asked.length > 0)
      wire.connect(swift.network, empty.network)
      await reaches(empty.chain, 30n)
    }),
  )

  test.concurrent(
    'when a block is from the future by the local clock, then no peer is reported, and the log warns of the clock',
    onWire(async (wire, node) => {
      const [maker, other] = await pair(wire, node)
      const timestamp = BigInt(Math.floor(Date.now() / 1000) + 6)
      const block = await nextBlock(maker.chain, [], { timestamp })
      await maker.chain.importBlock(block, { nowMs: Date.now() + 20_000 })
      await maker.sync.committed(block)
      await reaches(other.chain, 1n)
      expect(other.network.reports).toEqual([])
      expect(logLines.filter(line => line.includes('The clock of this machine is behind'))).toHaveLength(1)
    }),
  )

  test.concurrent(
    'when it got a transaction while it had no peers, then peers get it once they connect',
    onWire(async (wire, node) => {
      const alone = await node(A)
      alone.pool.add(transfer(ALICE, 0), alone.poolHead(), LOCAL)
      await turns(20)
      const other = await node(B)
      wire.connect(alone.network, other.network)
      await until(() => other.pool.size === 1)
    }),
  )

  test.concurrent(
    'when it has transactions of nodes that are away, then a node that connects fetches them',
    onWire(async (wire, node) => {
      const [one, other] = await pair(wire, node)
      one.pool.add(transfer(ALICE, 0), one.poolHead(), LOCAL)
      await until(() => other.pool.size === 1)
      wire.disconnect(one.network, other.network)
      const third = await node(C)
      wire.connect(other.network, third.network)
      await until(() => third.pool.size === 1)
    }),
  )

  test.concurrent(
    'when a peer gets a transaction before the two gossip, then it is fetched a moment later',
    onWire(async (wire, node) => {
      const other = await node(B)
      // Drops gossip.
      const deaf = await node(C, { handlers: { onTransactions: () => ({ isForwarded: false, held: [] }) } })
      wire.connect(other.network, deaf.network)
      await until(() => deaf.network.peers().length === 1)
      await turns(50)
      other.pool.add(transfer(ALICE, 0), other.poolHead(), LOCAL)
      await until(() => deaf.pool.size === 1)
    }),
  )

  test.concurrent(
    'when it syncs, then it fetches the pool once it is level',
    onWire(async (wire, node) => {
      const full = await node(A)
      await grow(full.chain, 20)
      full.pool.add(transfer(ALICE, 0), full.poolHead(), LOCAL)
      const empty = await node(B)
      wire.connect(full.network, empty.network)
      await reaches(empty.chain, 20n)
      await until(() => empty.pool.size === 1)
    }),
  )
})
