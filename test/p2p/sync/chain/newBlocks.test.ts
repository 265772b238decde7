import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { encodeBlock } from '../../../../core/block/codec/block.ts'
import { extend, nextBlock, resealed, transfer } from '../../../core/chain/support/chain.ts'
import { USERS, VALIDATORS } from '../../../core/chain/support/keys.ts'
import { grow, logLines, reaches, type WiredNode } from '../support/node.ts'
import { wireEachTest } from '../support/wireEachTest.ts'
import { until } from '../../../support/until.ts'
import { turns } from '../../../support/turns.ts'

setDefaultTimeout(120_000)

const [A, B, C] = VALIDATORS
const [ALICE] = USERS

const { wire, node } = wireEachTest()

/** That many nodes, each connected with the one before it. */
const line = async (...keys: readonly (typeof VALIDATORS)[number][]): Promise<readonly WiredNode[]> => {
  const nodes: WiredNode[] = []
  for (const key of keys) {
    const made = await node(key)
    const before = nodes.at(-1)
    if (before !== undefined) wire.connect(before.network, made.network)
    nodes.push(made)
  }
  return nodes
}

describe('given nodes that follow one another', () => {
  test('when a block is committed, then all get it without a range request, also through a node in between', async () => {
    const [maker, between, last] = (await line(A, B, C)) as [WiredNode, WiredNode, WiredNode]
    for (let nonce = 0; nonce < 3; nonce++)
      await maker.sync.committed(await extend(maker.chain, [transfer(ALICE, nonce)]))
    await reaches(last.chain, 3n)
    expect(last.chain.head()).toEqual(maker.chain.head())
    expect(between.network.asked).toEqual([])
    expect(maker.network.asked).toEqual([])
    expect(last.sync.progress()).toBeUndefined()
    expect(logLines.some(text => text.includes('Imported #3 / 1 tx'))).toBe(true)
  })

  test('when a node receives a block that it committed itself, then nothing happens', async () => {
    const [one, other] = (await line(A, B)) as [WiredNode, WiredNode]
    const block = await nextBlock(one.chain)
    const nowMs = Date.now()
    await Promise.all([one.chain.importBlock(block, { nowMs }), other.chain.importBlock(block, { nowMs })])
    await one.sync.committed(block)
    await other.sync.committed(block)
    await turns(20)
    expect(one.network.reports).toEqual([])
    expect(one.chain.head().header.number).toBe(1n)
  })

  test('when the parent of a new block is missing, then the blocks in between are downloaded', async () => {
    const [maker, other] = (await line(A, B)) as [WiredNode, WiredNode]
    await until(() => other.network.peers().length === 1)
    await grow(maker.chain, 3)
    await maker.sync.committed(await extend(maker.chain))
    await reaches(other.chain, 4n)
  })

  test('when a consensus message implies a longer chain, then it is downloaded', async () => {
    const [maker, other] = (await line(A, B)) as [WiredNode, WiredNode]
    await until(() => other.network.peers().length === 1)
    await grow(maker.chain, 3)
    other.sync.raisePeerHead(A.address, 3n)
    await reaches(other.chain, 3n)
  })

  test('when the head changes, then the peers get the new status with the connected nodes', async () => {
    const [maker, other] = (await line(A, B, C)) as [WiredNode, WiredNode]
    await grow(maker.chain, 1)
    await until(() => other.network.peers().some(({ status }) => status.headNumber === 1n))
    await until(
      () =>
        maker.network.peers()[0]?.status.neighbours.map(toHex).join() ===
        [A, C].map(k => toHex(k.address)).join(),
    )
  })
})

describe('given a peer that announces wrong blocks', () => {
  test('when a block is invalid, undecodable or too large, then the peer is reported', async () => {
    const [maker, other] = (await line(A, B)) as [WiredNode, WiredNode]
    await until(() => other.network.peers().length === 1)
    const block = await nextBlock(maker.chain)
    const wrong = encodeBlock(resealed(block, { gasUsed: 1n }))
    maker.network.announceBlock(1n, block.header.stateRoot, wrong)
    await until(() => other.network.reports.length === 1)
    maker.network.announceBlock(1n, block.header.stateRoot, wrong.subarray(1))
    await until(() => other.network.reports.length === 2)
    maker.network.announceBlock(1n, block.header.stateRoot, new Uint8Array(17 * 1024 * 1024))
    await until(() => other.network.reports.length === 3)
    expect(other.network.reports.map(({ what }) => what)).toEqual([
      'invalid-block',
      'invalid-message',
      'oversized-message',
    ])
    expect(other.chain.head().header.number).toBe(0n)
  })
})
