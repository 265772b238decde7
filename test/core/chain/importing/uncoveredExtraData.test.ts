import { describe, expect, test } from 'bun:test'
import type { Block } from '../../../../core/block/block.ts'
import { decodeBlock, encodeBlock } from '../../../../core/block/codec/block.ts'
import { decodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { checkedValue, withChecksum } from '../../../../core/store/checksum.ts'
import { decodeChainHead, encodeChainHead } from '../../../../core/store/codec/chainHead.ts'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import { headerKey, segmentKey } from '../../../../core/store/keys.ts'
import { commitOfSegment } from '../../../../core/store/recovery/recover.ts'
import {
  encodeSegment,
  openSegment,
  segmentChanges,
  segmentRecord,
} from '../../../../core/store/segments/segment.ts'
import { decodeRlp, encodeRlp, rlpList, type RlpItem } from '../../../../core/rlp/rlp.ts'
import { brokenRule, extend, openTestChain, type TestChain, transfer } from '../support/chain.ts'
import { USERS } from '../support/keys.ts'
import { memoryStore } from '../support/memory.ts'

const [ALICE] = USERS
const GENESIS = { fork: 'london' } as const
const ADDED: RlpItem = new Uint8Array(40).fill(0x41)

/** The extraData with a sixth item, which neither the hash nor the seals of the block cover. */
const withSixthItem = (extraData: Uint8Array): Uint8Array =>
  encodeRlp([...rlpList(decodeRlp(extraData), 'extraData'), ADDED])

const withJunk = (block: Block): Block => ({
  ...block,
  header: { ...block.header, extraData: withSixthItem(block.header.extraData) },
})

const chainOfTwo = async (kv?: KeyValueStore): Promise<TestChain> => {
  const chain = await openTestChain(GENESIS, kv)
  await extend(chain, [transfer(ALICE, 0)])
  await extend(chain, [transfer(ALICE, 1)])
  return chain
}

const recordOf = async ({ store }: TestChain, number: bigint) => {
  const bytes = await store.recordBytes(number)
  return commitOfSegment(bytes as Uint8Array)
}

describe('given a block of a peer with a sixth item in its extraData', () => {
  test('when it is imported, as a block or as a record, then it is refused', async () => {
    const source = await chainOfTwo()
    const victim = await openTestChain(GENESIS)
    const record = await recordOf(source, 1n)
    const forged = decodeBlock(encodeBlock(withJunk(record.block)))
    expect(await brokenRule(victim, forged)).toBe('extra-data')
    const importing = victim.importRecord({ ...record, block: forged }, { nowMs: Date.now() })
    expect(importing).rejects.toMatchObject({ rule: 'extra-data' })
    await importing.catch(() => undefined)
    expect(victim.head().header.number).toBe(0n)
    expect(await brokenRule(victim, record.block)).toBeUndefined()
  })
})

/** Puts the sixth item into everything that the store has of a block, as an earlier release did. */
const addJunk = async (kv: KeyValueStore, number: number): Promise<void> => {
  const change = async (key: string, of: (value: Uint8Array) => Uint8Array): Promise<void> => {
    const value = checkedValue(key, await kv.get(key))
    if (value !== undefined) await kv.set([{ key, value: withChecksum(key, of(value)) }])
  }
  await change(segmentKey(number), bytes => {
    const segment = openSegment(bytes)
    const record = segmentRecord(segment)
    const changes = segmentChanges(segment)
    return encodeSegment({ ...record, block: withJunk(record.block), changes, nodes: [] })
  })
  await change(headerKey(number), bytes => {
    const head = decodeChainHead(bytes)
    const extraData = withSixthItem(head.header.extraData)
    return encodeChainHead({ ...head, header: { ...head.header, extraData } })
  })
}

describe('given a store of an earlier release that kept such blocks', () => {
  test.each(['flushed', 'only in their records'])(
    'when it is opened and they are %s, then the chain goes on, and what is read and served is without the item',
    async state => {
      const honest = await chainOfTwo()
      const kv = memoryStore()
      const before = await chainOfTwo(kv)
      if (state === 'flushed') await before.store.flush()
      await before.store.close()
      await addJunk(kv, 1)
      await addJunk(kv, 2)
      const stored = checkedValue(segmentKey(2), await kv.get(segmentKey(2))) as Uint8Array
      expect(() => decodeExtraData(segmentRecord(openSegment(stored)).block.header.extraData)).toThrow('6')

      const chain = await openTestChain(GENESIS, kv)
      for (const number of [1n, 2n]) {
        expect(await chain.store.recordBytes(number)).toEqual(await honest.store.recordBytes(number))
        expect(await chain.store.blockBytes(number)).toEqual(await honest.store.blockBytes(number))
        expect(await chain.store.header(number)).toEqual(await honest.store.header(number))
      }
      expect(chain.head()).toEqual(honest.head())
      await extend(chain, [transfer(ALICE, 2)])
      expect(chain.head().header.number).toBe(3n)
      expect(await openChainStore(kv)).toBeDefined()
    },
  )
})
