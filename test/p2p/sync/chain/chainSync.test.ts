import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { encodeBlock } from '../../../../core/block/codec/block.ts'
import { extend, openTestChain, resealed, transfer } from '../../../core/chain/support/chain.ts'
import { USERS, VALIDATORS } from '../../../core/chain/support/keys.ts'
import { grow, logLines, reaches, type WiredNode } from '../support/node.ts'
import { wireEachTest } from '../support/wireEachTest.ts'
import { until } from '../../../support/until.ts'
import { turns } from '../../../support/turns.ts'

setDefaultTimeout(120_000)

const [A, B, C, D] = VALIDATORS
const [ALICE] = USERS

const { wire, node } = wireEachTest()

// Thousands of seals are made and recovered.

describe('given a node that is behind', () => {
  test('when it connects with a node that has more blocks, then it imports all of them', async () => {
    const full = await node(A)
    await grow(full.chain, 40)
    await extend(full.chain, [transfer(ALICE, 0)])
    const empty = await node(B)
    wire.connect(full.network, empty.network)
    await reaches(empty.chain, 41n)
    expect(empty.chain.head()).toEqual(full.chain.head())
    await until(() => logLines.some(line => line.includes('Synced: 41 blocks with 1 transactions')))
    expect(empty.sync.progress()).toBeUndefined()
    expect(empty.network.reports).toEqual([])
  })

  test('when several peers have more blocks, then each delivers a part', async () => {
    const first = await node(A)
    // More than one request for blocks gets.
    await grow(first.chain, 300)
    const second = await node(B)
    wire.connect(first.network, second.network)
    await reaches(second.chain, 300n)
    const empty = await node(C)
    wire.connect(first.network, empty.network)
    wire.connect(second.network, empty.network)
    await reaches(empty.chain, 300n)
    expect(second.network.asked.length).toBeGreaterThan(0)
    expect(first.network.asked.length).toBeGreaterThan(1)
  })

  test('when it is far behind, then consensus pauses, and resumes at the head', async () => {
    const full = await node(A)
    await grow(full.chain, 100)
    const empty = await node(B)
    const seen: (string | undefined)[] = []
    empty.sync.onProgress(() => {
      const progress = empty.sync.progress()
      seen.push(progress && `from ${progress.startingBlock} to ${progress.highestBlock}`)
    })
    wire.connect(full.network, empty.network)
    await reaches(empty.chain, 100n)
    await until(() => seen.length === 2)
    expect(seen).toEqual(['from 0 to 100', undefined])
  })

  test('when several nodes lost their data, then all sync from one node and from each other', async () => {
    const full = await node(A)
    await grow(full.chain, 120)
    const wiped = [await node(B), await node(C), await node(D)]
    for (const one of wiped) wire.connect(full.network, one.network)
    for (const one of wiped)
      for (const other of wiped) if (one !== other) wire.connect(one.network, other.network)
    await Promise.all(wiped.map(({ chain }) => reaches(chain, 120n)))
    await grow(full.chain, 1)
    await Promise.all(wiped.map(({ chain }) => reaches(chain, 121n)))
    for (const { chain, network } of wiped) {
      expect(chain.head().hash).toEqual(full.chain.head().hash)
      expect(network.reports).toEqual([])
    }
  })

  test('when the chain grows meanwhile, then it reaches the new head', async () => {
    const full = await node(A)
    await grow(full.chain, 50)
    const empty = await node(B)
    wire.connect(full.network, empty.network)
    for (let made = 0; made < 20; made++) await full.sync.committed(await extend(full.chain))
    await reaches(empty.chain, 70n)
  })
})

describe('given a malicious peer', () => {
  const spoiled = async (at: bigint, spoil: (encoded: Uint8Array) => Uint8Array): Promise<WiredNode> => {
    const chain = await openTestChain()
    await grow(chain, 30)
    return node(A, {
      chain,
      handlers: {
        async *blocks(from, count) {
          for (let number = from; number < from + BigInt(count); number++) {
            const encoded = await chain.store.blockBytes(number)
            if (encoded === undefined) return
            yield number === at ? spoil(encoded) : encoded
          }
        },
      },
    })
  }

  test('when it delivers an invalid block, then it is reported, and another peer is asked', async () => {
    const chain = await openTestChain()
    await grow(chain, 30)
    const record = await chain.store.record(20n)
    const bad = encodeBlock(resealed(record?.block as never, { gasUsed: 1n }))
    const liar = await spoiled(20n, () => bad)
    const honest = await node(B, { chain })
    const empty = await node(C)
    wire.connect(liar.network, empty.network)
    await reaches(empty.chain, 19n)
    await until(() => empty.network.reports.length > 0)
    expect(empty.chain.head().header.number).toBe(19n)
    wire.connect(honest.network, empty.network)
    await reaches(empty.chain, 30n)
    expect(empty.network.reports).toEqual([
      {
        address: toHex(A.address),
        what: 'invalid-block',
        detail: expect.stringContaining('Block 20 is invalid'),
      },
    ])
  })

  test('when there is no other peer, then the node waits, without repeated requests', async () => {
    const liar = await spoiled(5n, encoded => {
      const bad = encoded.slice()
      bad[40] = (bad[40] as number) ^ 1
      return bad
    })
    const empty = await node(C)
    wire.connect(liar.network, empty.network)
    await until(() => empty.network.reports.length > 0)
    const asked = liar.network.asked.length
    await turns(50)
    expect(liar.network.asked.length).toBe(asked)
    expect(empty.sync.progress()).toBeUndefined()
  })

  test('when it sends blocks that were not requested, then it is reported', async () => {
    const liar = await node(A, {
      handlers: {
        async *blocks(from) {
          const encoded = await liar.chain.store.blockBytes(from + 1n)
          if (encoded !== undefined) yield encoded
        },
      },
    })
    await grow(liar.chain, 10)
    const empty = await node(B)
    wire.connect(liar.network, empty.network)
    await until(() => empty.network.reports.length > 0)
    expect(empty.network.reports[0]).toMatchObject({
      what: 'bad-response',
      detail: 'block 2 instead of block 1',
    })
  })

  test('when it claims a chain that it does not deliver, then it is reported, and consensus does not pause', async () => {
    const liar = await node(A, {
      handlers: {
        status: () => ({ ...liar.sync.handlers.status(), headNumber: 1_000_000n }),
        async *blocks() {
          // Nothing.
        },
      },
    })
    const other = await node(B)
    let rests = 0
    other.sync.onProgress(() => rests++)
    wire.connect(liar.network, other.network)
    await until(() => other.network.reports.length > 0)
    expect(other.network.reports).toEqual([
      {
        address: toHex(A.address),
        what: 'bad-response',
        detail: 'it claims block 1000000 and does not deliver block 1',
      },
    ])
    expect(rests).toBe(0)
    expect(other.sync.progress()).toBeUndefined()
  })

  test('when it forwarded a message of a longer chain that it lacks, then it is not reported', async () => {
    const other = await node(A)
    const one = await node(B)
    wire.connect(other.network, one.network)
    // Both have sent their statuses by then.
    await turns(20)
    one.sync.raisePeerHead(A.address, 7n)
    await until(() => other.network.asked.length === 1)
    await turns(20)
    expect(one.network.reports).toEqual([])
    expect(other.network.asked).toHaveLength(1)
  })

  test('when it claims more blocks than an honest peer has, then the node reaches the head of the honest one', async () => {
    const honest = await node(A)
    await grow(honest.chain, 60)
    const liar = await node(B, {
      chain: honest.chain,
      handlers: { status: () => ({ ...honest.sync.handlers.status(), headNumber: 1_000_000n }) },
    })
    const empty = await node(C)
    wire.connect(liar.network, empty.network)
    wire.connect(honest.network, empty.network)
    await reaches(empty.chain, 60n)
    await until(() => empty.sync.progress() === undefined)
    await grow(honest.chain, 3)
    await reaches(empty.chain, 63n)
  })

  test('when it claims more and delivers each new block before others do, then consensus does not pause', async () => {
    const chain = await openTestChain()
    const liar = await node(A, {
      chain,
      handlers: {
        status: () => ({ ...liar.sync.handlers.status(), headNumber: 1_000_000n }),
        async *blocks(from) {
          for (let number = from; number <= 3n; number++) {
            await reaches(chain, number)
            yield (await chain.store.blockBytes(number)) as Uint8Array
          }
        },
      },
    })
    const other = await node(B)
    let rests = 0
    other.sync.onProgress(() => rests++)
    wire.connect(liar.network, other.network)
    await until(() => liar.network.asked.length > 0)
    const now = BigInt(Math.floor(Date.now() / 1000))
    for (const agoSeconds of [4n, 2n, 0n]) await extend(chain, [], { timestamp: now - agoSeconds })
    await reaches(other.chain, 3n)
    expect(rests).toBe(0)
  })

  test('when it disconnects during a request, then another peer is asked, and it is not reported', async () => {
    const chain = await openTestChain()
    await grow(chain, 30)
    const leaving = await node(A, {
      chain,
      handlers: {
        async *blocks(from) {
          for (let number = from; number < from + 5n; number++)
            yield (await chain.store.blockBytes(number)) as Uint8Array
          wire.disconnect(leaving.network, empty.network)
          await turns(5)
          yield new Uint8Array(0)
        },
      },
    })
    const empty = await node(C)
    wire.connect(leaving.network, empty.network)
    await reaches(empty.chain, 5n)
    const staying = await node(B, { chain })
    wire.connect(staying.network, empty.network)
    await reaches(empty.chain, 30n)
    expect(empty.network.reports).toEqual([])
  })
})

describe('given fewer peers than --sync-min-peers', () => {
  test('when no peer is ahead, then the node does not wait', async () => {
    const alone = await node(A, { syncMinPeers: 5 })
    expect(alone.sync.progress()).toBeUndefined()
    await grow(alone.chain, 3)
    expect(alone.sync.progress()).toBeUndefined()
  })

  test('when a peer is ahead, then the sync starts once there are enough peers', async () => {
    const full = await node(A)
    await grow(full.chain, 10)
    const empty = await node(B, { syncMinPeers: 2 })
    wire.connect(full.network, empty.network)
    await turns(50)
    expect(full.network.asked).toEqual([])
    const other = await node(C)
    wire.connect(other.network, empty.network)
    await reaches(empty.chain, 10n)
  })
})
