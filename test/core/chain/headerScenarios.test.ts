import { describe, expect, test } from 'bun:test'
import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { decodeExtraData, encodeExtraData, type QbftExtraData } from '../../../core/block/codec/extraData.ts'
import type { Header } from '../../../core/block/header.ts'
import { brokenRule, nextBlock, openTestChain, resealed } from './support/chain.ts'
import { type Key, OUTSIDER, VALIDATORS } from './support/keys.ts'
import { contractAccount } from './support/validatorContract.ts'

const [V0, V1, V2, V3] = VALIDATORS
const CONTRACT = '0x0000000000000000000000000000000000008888'
const WORD = new Uint8Array(32).fill(7)
const addresses = (...keys: readonly Key[]) => keys.map(({ address }) => address)

/** A chain of four validators, and a block that it would accept. */
const given = async (): Promise<readonly [Chain, Block]> => {
  const chain = await openTestChain()
  return [chain, await nextBlock(chain)]
}

const withExtra = (block: Block, change: Partial<QbftExtraData>, keys?: readonly Key[]): Block =>
  resealed(
    block,
    { extraData: encodeExtraData({ ...decodeExtraData(block.header.extraData), ...change }) },
    keys,
  )

describe('given the seals of a header', () => {
  test.each<[what: string, keys: readonly Key[], rule: string | undefined]>([
    ['fewer than a quorum', [V0, V1], 'seal-quorum'],
    ['none', [], 'seal-quorum'],
    ['one validator twice', [V0, V1, V2, V2], 'seal-duplicate'],
    ['an outsider beside a quorum', [V0, V1, V2, OUTSIDER], 'seal-signer'],
    ['a quorum', [V0, V2, V3], undefined],
  ])('when they are %s, then the verdict is right', async (_, keys, rule) => {
    const [chain, block] = await given()
    expect(await brokenRule(chain, resealed(block, {}, keys))).toBe(rule)
  })
})

describe('given the validators of a header', () => {
  test.each([
    ['unsorted', [V1, V0, V2, V3]],
    ['one missing', [V0, V1, V2]],
    ['one too many', [V0, V1, V2, V3, OUTSIDER]],
    ['one twice', [V0, V1, V2, V3, V3]],
    ['another one', [V0, V1, V2, OUTSIDER]],
    ['none', []],
  ])('when they are %s, then the verdict is right', async (_, keys) => {
    const [chain, block] = await given()
    expect(await brokenRule(chain, withExtra(block, { validators: addresses(...keys) }))).toBe('validators')
    expect(await brokenRule(chain, block)).toBeUndefined()
  })
})

describe('given a header in contract mode', () => {
  const contractChain = async (): Promise<readonly [Chain, Block]> => {
    const chain = await openTestChain({
      validators: [],
      qbft: { validatorcontractaddress: CONTRACT },
      alloc: { [CONTRACT]: contractAccount([V0]) },
    })
    return [chain, await nextBlock(chain, [], {}, [V0])]
  }

  test('when it lists validators, even the right ones, then it is refused', async () => {
    const [chain, block] = await contractChain()
    const listing = withExtra(block, { validators: addresses(V0) }, [V0])
    expect(await brokenRule(chain, listing)).toBe('validators')
  })

  test.each(['add', 'drop'] as const)('when it has a vote to %s, then it is refused', async type => {
    const [chain, block] = await contractChain()
    const voting = withExtra(block, { vote: { recipient: V1.address, type } }, [V0])
    expect(await brokenRule(chain, voting)).toBe('vote-in-contract-mode')
    expect(await brokenRule(chain, block)).toBeUndefined()
  })
})

describe('given a header', () => {
  test('when it has any nonce, then it is accepted', async () => {
    const [chain, block] = await given()
    expect(await brokenRule(chain, resealed(block, { nonce: new Uint8Array(8).fill(1) }))).toBeUndefined()
  })

  test('when it has any ommers hash, then the header is accepted, and the body is checked against it', async () => {
    const [chain, block] = await given()
    expect(await brokenRule(chain, resealed(block, { ommersHash: WORD }))).toBe('ommers-hash')
  })
})

describe('given a header with a fault', () => {
  test.each<[rule: string, what: string, change: (header: Header) => Partial<Header>]>([
    ['mix-hash', 'another mixHash', () => ({ mixHash: WORD })],
    ['difficulty', 'difficulty 0', () => ({ difficulty: 0n })],
    ['difficulty', 'difficulty 2', () => ({ difficulty: 2n })],
    ['timestamp-spacing', 'a period less a second', ({ timestamp }) => ({ timestamp: timestamp - 1n })],
    ['gas-limit-step', 'a step of gas that is too large', ({ gasLimit }) => ({ gasLimit: gasLimit * 2n })],
    ['gas-limit-range', 'too low a gas limit', () => ({ gasLimit: 4999n })],
    ['gas-used-limit', 'more gas than its limit', ({ gasLimit }) => ({ gasUsed: gasLimit + 1n })],
    ['coinbase-validator', 'an outsider as its maker', () => ({ coinbase: OUTSIDER.address })],
    ['ancestry', 'another parent', () => ({ parentHash: WORD })],
  ])('when %s is broken by %s, then it is refused', async (rule, _, change) => {
    const [chain, block] = await given()
    expect(await brokenRule(chain, resealed(block, change(block.header)))).toBe(rule)
    expect(await brokenRule(chain, block)).toBeUndefined()
  })

  test('when it is two seconds ahead of the clock, then it is refused as future-timestamp', async () => {
    const [chain, block] = await given()
    const dueMs = Number(block.header.timestamp) * 1000
    expect(await brokenRule(chain, block, dueMs - 2000)).toBe('future-timestamp')
    expect(await brokenRule(chain, block, dueMs - 1000)).toBeUndefined()
  })
})
