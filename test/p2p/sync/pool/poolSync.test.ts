import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Hash } from '../../../../core/bytes/bytes.ts'
import { transfer } from '../../../core/chain/support/chain.ts'
import { USERS, VALIDATORS } from '../../../core/chain/support/keys.ts'
import { joinHashes } from '../../../../p2p/gossip/joinedHashes.ts'
import { type WiredNode } from '../support/node.ts'
import { wireEachTest } from '../support/wireEachTest.ts'
import { until } from '../../../support/until.ts'

setDefaultTimeout(120_000)

const [A, B, C] = VALIDATORS
const [ALICE] = USERS
const REMOTE = { local: false, addedAtMs: 0 }

const { wire, node } = wireEachTest()

const fill = ({ pool, poolHead }: WiredNode, count: number): void => {
  for (let nonce = 0; nonce < count; nonce++) pool.add(transfer(ALICE, nonce), poolHead(), REMOTE)
}

describe('given a node whose pool holds transactions', () => {
  test('when a node connects, then it fetches all of them', async () => {
    const [full, empty] = [await node(A), await node(B)]
    fill(full, 150)
    wire.connect(full.network, empty.network)
    await until(() => empty.pool.size === 150)
    expect(empty.pool.counts()).toEqual({ ready: 150, queued: 0 })
    expect(empty.network.reports).toEqual([])
  })

  test('when nodes that hold an accepted transaction restart in turn, then none is lost', async () => {
    const first = await node(A)
    fill(first, 20)
    const second = await node(B)
    wire.connect(first.network, second.network)
    await until(() => second.pool.size === 20)
    wire.disconnect(first.network, second.network)
    // The first one comes back with an empty pool.
    const restarted = await node(A)
    wire.connect(second.network, restarted.network)
    await until(() => restarted.pool.size === 20)
    wire.disconnect(second.network, restarted.network)
    const third = await node(C)
    wire.connect(restarted.network, third.network)
    await until(() => third.pool.size === 20)
  })

  test('when the peer knows some of them, then only the others are requested', async () => {
    const asked: number[] = []
    const full = await node(A)
    fill(full, 10)
    const { poolTransactions } = full.sync.handlers
    const serving = await node(B, {
      handlers: {
        poolHashes: full.sync.handlers.poolHashes,
        poolTransactions: hashes => {
          asked.push(hashes.length / 32)
          return poolTransactions(hashes)
        },
      },
    })
    const half = await node(C)
    fill(half, 6)
    wire.connect(serving.network, half.network)
    await until(() => half.pool.size === 10)
    expect(asked).toEqual([4])
  })

  test('when a node has peers that the sender does not have, then it forwards the fetched transactions', async () => {
    const [one, middle, other] = [await node(A), await node(B), await node(C)]
    wire.connect(middle.network, other.network)
    await until(() => other.network.peers().length === 1)
    fill(one, 5)
    wire.connect(one.network, middle.network)
    await until(() => other.pool.size === 5)
  })
})

describe('given a peer that lies about its pool', () => {
  test('when it lists hashes that it does not deliver, then the node continues', async () => {
    const invented: Hash[] = Array.from({ length: 700 }, (_, index) => new Uint8Array(32).fill(index))
    const liar = await node(A, {
      handlers: {
        poolHashes: async function* () {
          yield joinHashes(invented)
        },
      },
    })
    const honest = await node(B)
    fill(honest, 3)
    const empty = await node(C)
    wire.connect(liar.network, empty.network)
    wire.connect(honest.network, empty.network)
    await until(() => empty.pool.size === 3)
  })
})
