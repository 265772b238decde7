import { describe, expect, test } from 'bun:test'
import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import {
  brokenRule,
  build,
  importNow,
  nextBlock,
  openTestChain,
  PERIOD_SECONDS,
  resealed,
  sealedHeader,
} from './support/chain.ts'
import { type Key, OUTSIDER, VALIDATORS } from './support/keys.ts'

const [V0, V1, V2] = VALIDATORS

const sealedBy = async (...keys: readonly Key[]): Promise<{ chain: Chain; block: Block }> => {
  const chain = await openTestChain()
  return { chain, block: await nextBlock(chain, [], {}, keys) }
}

describe('commit seals of four validators', () => {
  test('a quorum of three suffices, in any order', async () => {
    const { chain, block } = await sealedBy(V2, V0, V1)
    expect(await brokenRule(chain, block)).toBeUndefined()
  })

  test('two do not', async () => {
    const { chain, block } = await sealedBy(V0, V1)
    expect(await brokenRule(chain, block)).toBe('seal-quorum')
  })

  test('the same validator counts once, and may not seal twice', async () => {
    const { chain, block } = await sealedBy(V0, V1, V2, V0)
    expect(await brokenRule(chain, block)).toBe('seal-duplicate')
  })

  test('one foreign seal spoils a quorum', async () => {
    const { chain, block } = await sealedBy(V0, V1, V2, OUTSIDER)
    expect(await brokenRule(chain, block)).toBe('seal-signer')
  })

  test('seals of another block are foreign', async () => {
    const { chain, block } = await sealedBy(V0, V1, V2)
    const header = { ...block.header, timestamp: block.header.timestamp + 1n }
    expect(await brokenRule(chain, { ...block, header })).toBe('seal-signer')
  })

  test('the seals are over the round, the block hash is not', async () => {
    const chain = await openTestChain()
    const { block } = await build(chain, [], { round: 3 })
    const header = sealedHeader(block.header)
    const other = {
      ...header,
      extraData: encodeExtraData({ ...decodeExtraData(header.extraData), round: 2 }),
    }
    expect(qbftBlockHash(other)).toEqual(qbftBlockHash(header))
    expect(await brokenRule(chain, { ...block, header: other })).toBe('seal-signer')
    expect(await brokenRule(chain, { ...block, header })).toBeUndefined()
  })
})

describe('extraData', () => {
  test('that is not RLP of five items is refused', async () => {
    const { chain, block } = await sealedBy(...VALIDATORS)
    for (const extraData of [new Uint8Array(0), Uint8Array.of(0xc0), Uint8Array.of(0xff, 0xff)])
      expect(await brokenRule(chain, { ...block, header: { ...block.header, extraData } })).toBe('extra-data')
  })

  test('a vanity of any length is taken', async () => {
    const { chain, block } = await sealedBy(...VALIDATORS)
    const extraData = encodeExtraData({
      ...decodeExtraData(block.header.extraData),
      vanity: new Uint8Array(5),
    })
    expect(await brokenRule(chain, resealed(block, { extraData }))).toBeUndefined()
  })

  test('a nonce is not looked at', async () => {
    const { chain, block } = await sealedBy(...VALIDATORS)
    expect(await brokenRule(chain, resealed(block, { nonce: new Uint8Array(8).fill(1) }))).toBeUndefined()
  })
})

describe('time', () => {
  test('a block may be one second ahead of the clock, rounded down, and no more', async () => {
    const { chain, block } = await sealedBy(...VALIDATORS)
    const dueMs = Number(block.header.timestamp) * 1000
    expect(await brokenRule(chain, block, dueMs - 1001)).toBe('future-timestamp')
    expect(await brokenRule(chain, block, dueMs - 1000)).toBeUndefined()
  })

  test('a period below a second cannot be told from timestamps, so blocks may share one', async () => {
    const chain = await openTestChain({ qbft: { xblockperiodmilliseconds: 20 } })
    const { timestamp } = chain.head().header
    expect(await brokenRule(chain, await nextBlock(chain, [], { timestamp }))).toBeUndefined()
  })

  test('a period given in milliseconds counts whole seconds', async () => {
    const chain = await openTestChain({ qbft: { xblockperiodmilliseconds: 3500 } })
    const { timestamp } = chain.head().header
    const block = await nextBlock(chain, [], { timestamp: timestamp + 3n })
    expect(await brokenRule(chain, resealed(block, { timestamp: timestamp + 2n }))).toBe('timestamp-spacing')
    expect(await brokenRule(chain, block)).toBeUndefined()
  })
})

test('the error says which block, which rule, what it wants and what it found', async () => {
  const { chain, block } = await sealedBy(...VALIDATORS)
  const late = resealed(block, { timestamp: block.header.timestamp - PERIOD_SECONDS })
  const error = await importNow(chain, late).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(InvalidBlock)
  expect(error).toMatchObject({
    code: 'INVALID_BLOCK',
    blockNumber: 1n,
    rule: 'timestamp-spacing',
    expected: `at least ${block.header.timestamp}`,
    found: String(late.header.timestamp),
  })
  expect((error as InvalidBlock).message).toContain('Block 1 is invalid (timestamp-spacing)')
})
