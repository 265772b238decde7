import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { encodeBlock } from '../../../core/block/codec/block.ts'
import { extend, openTestChain, resealed, transfer } from '../../core/chain/support/chain.ts'
import { type Key, USERS, VALIDATORS } from '../../core/chain/support/keys.ts'
import { networkedNode, type NetworkedNode } from './support/net.ts'
import { captureLog, grow, logLines, reaches } from './support/node.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const [A, B, C] = VALIDATORS
const [ALICE] = USERS
const LOCAL = { local: true, addedAtMs: 0 }

let nodes: NetworkedNode[]

beforeEach(() => {
  captureLog()
  nodes = []
})

afterEach(async () => {
  for (const node of nodes) await node.stop()
})

const start = async (
  key: Key,
  options: Parameters<typeof networkedNode>[1] & { readonly to?: readonly NetworkedNode[] } = {},
): Promise<NetworkedNode> => {
  const { to = [], ...rest } = options
  const node = await networkedNode(key, { ...rest, staticNodes: to.map(({ network }) => network.enode) })
  nodes.push(node)
  return node
}

describe('given nodes on a real network', () => {
  test('when one is new, then it syncs from two others, and follows them from then on', async () => {
    const chain = await openTestChain()
    await grow(chain, 700)
    const first = await start(A, { chain })
    const second = await start(B, { chain, to: [first] })
    const empty = await start(C, { to: [first, second] })
    await reaches(empty.chain, 700n)
    await until(() => empty.sync.progress() === undefined)
    for (let nonce = 0; nonce < 5; nonce++)
      await first.sync.committed(await extend(chain, [transfer(ALICE, nonce)]))
    await reaches(empty.chain, 705n)
    expect(empty.chain.head()).toEqual(chain.head())
    expect(empty.network.peers()).toHaveLength(2)
  })

  test('when a peer serves a bad block, then it is banned, and another peer is asked', async () => {
    const chain = await openTestChain()
    await grow(chain, 50)
    const record = await chain.store.record(33n)
    const bad = encodeBlock(resealed(record?.block as never, { gasUsed: 1n }))
    const liar = await start(A, {
      chain,
      handlers: {
        async *blocks(from, count) {
          for (let number = from; number < from + BigInt(count); number++) {
            const encoded = await chain.store.blockBytes(number)
            if (encoded === undefined) return
            yield number === 33n ? bad : encoded
          }
        },
      },
    })
    const empty = await start(B, { to: [liar] })
    await reaches(empty.chain, 32n)
    await until(() => empty.network.peers().length === 0)
    expect(logLines.some(line => line.includes('is banned for') && line.includes('Block 33'))).toBe(true)
    const honest = await start(C, { chain, to: [empty] })
    await reaches(empty.chain, 50n)
    expect(empty.network.peers().map(({ enode }) => enode)).toEqual([honest.network.enode])
  })

  test('when transactions are sent to each node, then all nodes have all of them', async () => {
    const one = await start(A)
    const other = await start(B, { to: [one] })
    const third = await start(C, { to: [one, other] })
    await until(() => nodes.every(({ network }) => network.peers().length === 2))
    for (const [index, user] of USERS.entries())
      for (let nonce = 0; nonce < 100; nonce++) {
        const node = nodes[index] as NetworkedNode
        node.pool.add(transfer(user, nonce), node.poolHead(), LOCAL)
      }
    await until(() => nodes.every(({ pool }) => pool.size === 300))
    expect(third.pool.counts()).toEqual({ ready: 300, queued: 0 })
  })

  test('when a transaction is announced again after other nodes connected, then they get it as well', async () => {
    const one = await start(A)
    const other = await start(B, { to: [one] })
    await until(() => nodes.every(({ network }) => network.peers().length === 1))
    one.pool.add(transfer(ALICE, 0), one.poolHead(), LOCAL)
    await until(() => other.pool.size === 1)
    await other.stop()
    await until(() => one.network.peers().length === 0)
    const third = await start(C, { to: [one] })
    await until(() => third.pool.size === 1)
  })

  test('when the genesis files differ, then both log the names of the entries', async () => {
    const one = await start(A)
    const other = await start(B, {
      to: [one],
      configuration: { chainId: '1337', 'qbft.blockperiodseconds': '9' },
    })
    await until(() => one.sync.differences().length === 1 && other.sync.differences().length === 1)
    expect(one.sync.differences()[0]?.entries).toEqual(['qbft.blockperiodseconds'])
  })

  test('when one has another chain, then it is refused, and both log the difference', async () => {
    const one = await start(A)
    const other = await start(B, {
      to: [one],
      genesis: { top: { nonce: '0x1' } },
      configuration: { chainId: '1337', 'qbft.blockperiodseconds': '2', nonce: '1' },
    })
    await until(() => one.sync.differences().length === 1 && other.sync.differences().length === 1)
    expect(other.sync.differences()[0]?.entries).toContain('nonce')
    expect(one.network.peers()).toEqual([])
  })
})
