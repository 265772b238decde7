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

describe('given commit seals of four validators', () => {
  test('when there are three in any order, then they suffice', async () => {
    const { chain, block } = await sealedBy(V2, V0, V1)
    expect(await brokenRule(chain, block)).toBeUndefined()
  })

  test('when there are two, then they do not', async () => {
    const { chain, block } = await sealedBy(V0, V1)
    expect(await brokenRule(chain, block)).toBe('seal-quorum')
  })

  test('when a validator seals twice, then it is refused', async () => {
    const { chain, block } = await sealedBy(V0, V1, V2, V0)
    expect(await brokenRule(chain, block)).toBe('seal-duplicate')
  })

  test('when one seal is foreign, then the block is refused', async () => {
    const { chain, block } = await sealedBy(V0, V1, V2, OUTSIDER)
    expect(await brokenRule(chain, block)).toBe('seal-signer')
  })

  test('when seals are of another block, then they are foreign', async () => {
    const { chain, block } = await sealedBy(V0, V1, V2)
    const header = { ...block.header, timestamp: block.header.timestamp + 1n }
    expect(await brokenRule(chain, { ...block, header })).toBe('seal-signer')
  })

  test('when the round changes, then the seals differ and the block hash does not', async () => {
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

describe('given extraData', () => {
  test('when it is not RLP of five items, then it is refused', async () => {
    const { chain, block } = await sealedBy(...VALIDATORS)
    for (const extraData of [new Uint8Array(0), Uint8Array.of(0xc0), Uint8Array.of(0xff, 0xff)])
      expect(await brokenRule(chain, { ...block, header: { ...block.header, extraData } })).toBe('extra-data')
  })

  test('when the vanity has any length, then it is accepted', async () => {
    const { chain, block } = await sealedBy(...VALIDATORS)
    const extraData = encodeExtraData({
      ...decodeExtraData(block.header.extraData),
      vanity: new Uint8Array(5),
    })
    expect(await brokenRule(chain, resealed(block, { extraData }))).toBeUndefined()
  })

  test('when the nonce has any value, then it is accepted', async () => {
    const { chain, block } = await sealedBy(...VALIDATORS)
    expect(await brokenRule(chain, resealed(block, { nonce: new Uint8Array(8).fill(1) }))).toBeUndefined()
  })
})

describe('given timestamps', () => {
  test('when a block is one second ahead of the clock, rounded down, then it is accepted, and no more', async () => {
    const { chain, block } = await sealedBy(...VALIDATORS)
    const dueMs = Number(block.header.timestamp) * 1000
    expect(await brokenRule(chain, block, dueMs - 1001)).toBe('future-timestamp')
    expect(await brokenRule(chain, block, dueMs - 1000)).toBeUndefined()
  })

  test('when the period is below a second, then blocks may share a timestamp', async () => {
    const chain = await openTestChain({ qbft: { xblockperiodmilliseconds: 20 } })
    const { timestamp } = chain.head().header
    expect(await brokenRule(chain, await nextBlock(chain, [], { timestamp }))).toBeUndefined()
  })

  test('when the period is in milliseconds, then whole seconds count', async () => {
    const chain = await openTestChain({ qbft: { xblockperiodmilliseconds: 3500 } })
    const { timestamp } = chain.head().header
    const block = await nextBlock(chain, [], { timestamp: timestamp + 3n })
    expect(await brokenRule(chain, resealed(block, { timestamp: timestamp + 2n }))).toBe('timestamp-spacing')
    expect(await brokenRule(chain, block)).toBeUndefined()
  })
})

test('given a refused block, when the error is read, then it names block, rule, expected and found value', async () => {
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
