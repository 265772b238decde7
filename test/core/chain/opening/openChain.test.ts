import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { ChainError } from '../../../../core/chain/error.ts'
import { WAITING_CALLS_MAX } from '../../../../core/chain/importing/queue.ts'
import { recoverHere } from '../../../../core/chain/importing/validation.ts'
import type { ChainHead } from '../../../../core/store/store.ts'
import {
  brokenRule,
  build,
  extend,
  importNow,
  nextBlock,
  openTestChain,
  sealedHeader,
  transfer,
  failureOf,
} from '../support/chain.ts'
import { USERS, VALIDATORS } from '../support/keys.ts'
import { memoryStore } from '../support/memory.ts'

const [ALICE, BOB] = USERS

describe('given a store to open', () => {
  test('when it is empty, then it gets the genesis block with its state', async () => {
    const chain = await openTestChain()
    expect(chain.head()).toEqual(chain.genesis)
    expect(chain.store.stateAt(0n).account(ALICE.address)?.balance).toBe(10n ** 20n)
    const record = await chain.store.record(0n)
    expect(record?.hash).toEqual(chain.genesis.hash)
  })

  test('when it has the chain, then it continues there', async () => {
    const kv = memoryStore()
    const before = await openTestChain({}, kv)
    const block = await extend(before, [transfer(ALICE, 0)])
    await before.store.close()
    const chain = await openTestChain({}, kv)
    expect(chain.head().header).toEqual(block.header)
    expect(chain.genesis).toEqual(before.genesis)
    await extend(chain, [transfer(ALICE, 1)])
    expect(chain.head().header.number).toBe(2n)
  })

  test('when it has another chain, then it is refused, with both hashes and what to do', async () => {
    const kv = memoryStore()
    const other = await openTestChain({}, kv)
    await other.store.close()
    const refused = openTestChain({ top: { nonce: '0x1' } }, kv)
    expect(await failureOf(refused)).toMatchObject({ name: 'ChainError', code: 'OTHER_CHAIN' })
    expect(await failureOf(refused)).toHaveProperty(
      'message',
      expect.stringContaining(toHex(other.genesis.hash)),
    )
    expect(await failureOf(refused)).toHaveProperty(
      'message',
      expect.stringContaining('use another data path'),
    )
  })

  test('when it has the chain of another chain id, then it is refused, with both ids and what to do', async () => {
    const kv = memoryStore()
    const before = await openTestChain({ config: { chainId: 1337 } }, kv)
    await extend(before)
    await before.store.close()
    const refused = openTestChain({ config: { chainId: 99 } }, kv)
    expect(await failureOf(refused)).toMatchObject({
      code: 'OTHER_CHAIN',
      message: expect.stringContaining('with the chain id 1337, but the genesis file has 99') as string,
    })
    expect((await openTestChain({ config: { chainId: 1337 } }, kv)).head().header.number).toBe(1n)
  })

  test('when an earlier release made it, then the chain id of its transactions counts, and is recorded', async () => {
    const kv = memoryStore()
    const before = await openTestChain({}, kv)
    const chainId = await before.store.chainId?.()
    await extend(before, [transfer(ALICE, 0)])
    await extend(before)
    await before.store.close()
    await kv.set([{ key: 'chain:id', value: undefined }])
    expect(await failureOf(openTestChain({ config: { chainId: 99 } }, kv))).toMatchObject({
      code: 'OTHER_CHAIN',
    })
    const again = await openTestChain({}, kv)
    expect(await again.store.chainId?.()).toBe(chainId)
  })

  test('when an earlier release made it and its last transaction is 300 blocks ago, then that chain id counts, too', async () => {
    const kv = memoryStore()
    const before = await openTestChain({}, kv)
    await extend(before, [transfer(ALICE, 0)])
    for (let block = 0; block < 300; block++) await extend(before)
    await before.store.close()
    await kv.set([{ key: 'chain:id', value: undefined }])
    expect(await failureOf(openTestChain({ config: { chainId: 99 } }, kv))).toMatchObject({
      code: 'OTHER_CHAIN',
    })
  }, 60_000)

  test('when its blocks contradict the forks, then it is refused', async () => {
    const kv = memoryStore()
    const before = await openTestChain({ fork: 'london' }, kv)
    await extend(before)
    await before.store.close()
    const later = openTestChain({ fork: 'london', config: { shanghaiTime: 1 } }, kv)
    // Shanghai at genesis changes the genesis block itself.
    expect(await failureOf(later)).toMatchObject({ code: 'OTHER_CHAIN' })
    const past = openTestChain({ fork: 'london', config: { shanghaiTime: 1_700_000_001 } }, kv)
    expect(await failureOf(past)).toMatchObject({ code: 'CONFIGURATION_CONTRADICTS_CHAIN' })
    const ahead = await openTestChain({ fork: 'london', config: { shanghaiTime: 1_800_000_000 } }, kv)
    expect(ahead.head().header.number).toBe(1n)
  })

  test('when the genesis file has Ethereum’s DAO fork, then it is refused by name', async () => {
    expect(
      await failureOf(openTestChain({ fork: 'berlin', config: { daoForkBlock: 5, berlinBlock: 6 } })),
    ).toHaveProperty('message', expect.stringContaining('daoForkBlock'))
  })
})

describe('given blocks to import', () => {
  test('when another node made one, then it is accepted', async () => {
    const maker = await openTestChain()
    const chain = await openTestChain()
    for (let nonce = 0; nonce < 3; nonce++) {
      const block = await extend(maker, [transfer(ALICE, nonce), transfer(BOB, nonce)])
      expect(await importNow(chain, block)).toBe('imported')
    }
    expect(chain.head()).toEqual(maker.head())
    expect(await chain.store.record(3n)).toEqual(await maker.store.record(3n))
  })

  test('when one exists already, even with other seals, then it is known and not stored again', async () => {
    const chain = await openTestChain()
    const block = await extend(chain)
    await extend(chain)
    expect(await importNow(chain, block)).toBe('known')
    const header = sealedHeader(block.header, VALIDATORS.slice(0, 3))
    expect(await importNow(chain, { ...block, header })).toBe('known')
    expect(await chain.store.header(1n)).toEqual(block.header)
    const genesis = { header: chain.genesis.header, transactions: [], ommers: [], withdrawals: [] }
    expect(await importNow(chain, genesis)).toBe('known')
  })

  test('when one is of another branch, then it is refused', async () => {
    const chain = await openTestChain()
    const beside = await nextBlock(chain, [transfer(ALICE, 0)])
    await extend(chain)
    expect(await brokenRule(chain, beside)).toBe('ancestry')
  })

  test('when several come at once, then they are taken in order', async () => {
    const maker = await openTestChain()
    const blocks = [await extend(maker), await extend(maker, [transfer(ALICE, 0)]), await extend(maker)]
    const chain = await openTestChain()
    expect(await Promise.all(blocks.map(block => importNow(chain, block)))).toEqual(Array(3).fill('imported'))
    expect(chain.head()).toEqual(maker.head())
  })

  test('when a flood of calls comes, then it is refused before it fills the memory', async () => {
    const chain = await openTestChain()
    const block = await nextBlock(chain)
    const calls = Array.from({ length: WAITING_CALLS_MAX + 1 }, () => importNow(chain, block))
    const results = await Promise.allSettled(calls)
    expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'BUSY' } })
    expect(results.at(-2)).toMatchObject({ status: 'fulfilled', value: 'known' })
    expect(await importNow(chain, block)).toBe('known')
  })

  test('when senders are needed, then the runtime’s function recovers them', async () => {
    const maker = await openTestChain()
    const block = await extend(maker, [transfer(ALICE, 0), transfer(BOB, 0)])
    const counts: number[] = []
    const chain = await openTestChain({}, memoryStore(), {
      recoverSenders: transactions => {
        counts.push(transactions.length)
        return recoverHere(transactions)
      },
    })
    expect(await importNow(chain, block)).toBe('imported')
    expect(counts).toEqual([2])
    const record = await chain.store.record(1n)
    expect(record?.senders).toEqual([ALICE.address, BOB.address])
  })

  test('when the store can only be read asynchronously, then the chain is the same', async () => {
    const maker = await openTestChain()
    const blocks = [
      await extend(maker, [transfer(ALICE, 0)]),
      await extend(maker, [transfer(BOB, 0), transfer(ALICE, 1)]),
    ]
    const kv = memoryStore({ asynchronous: true })
    const first = await openTestChain({}, kv)
    await importNow(first, blocks[0] as (typeof blocks)[number])
    await first.store.flush()
    await first.store.close()
    const chain = await openTestChain({}, kv)
    expect(await importNow(chain, blocks[1] as (typeof blocks)[number])).toBe('imported')
    await chain.store.flush()
    await chain.store.close()
    const third = await openTestChain({}, kv)
    const { block } = await build(third, [transfer(ALICE, 1), transfer(ALICE, 2)])
    expect(block.transactions).toHaveLength(1)
    expect(third.head()).toEqual(maker.head())
  })
})

describe('given listeners', () => {
  test('when heads come, then they get each in order, until they unsubscribe', async () => {
    const chain = await openTestChain()
    const heard: bigint[] = []
    const unsubscribe = chain.onHead(({ header }) => heard.push(header.number))
    await extend(chain)
    await importNow(chain, await nextBlock(chain))
    unsubscribe()
    await extend(chain)
    expect(heard).toEqual([1n, 2n])
  })

  test('when one throws, then it is reported and the others continue', async () => {
    const chain = await openTestChain()
    const heads: ChainHead[] = []
    const failure = new Error('a listener failed')
    chain.onHead(() => {
      throw failure
    })
    chain.onHead(head => heads.push(head))
    await extend(chain)
    expect(heads).toEqual([chain.head()])
    expect(chain.errors).toEqual([failure])
  })
})

test('given a ChainError, when it is caught, then it has its code', () => {
  expect(new ChainError('BUSY', 'x')).toMatchObject({ name: 'ChainError', code: 'BUSY', message: 'x' })
})
