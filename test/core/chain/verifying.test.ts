import { describe, expect, test } from 'bun:test'
import type { Address } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Block } from '../../../core/block/block.ts'
import type { BuiltBlock, Chain } from '../../../core/chain/chain.ts'
import { decodeExtraData, encodeExtraData } from '../../../core/block/codec/extraData.ts'
import type { Header } from '../../../core/block/header.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import { recoverHere } from '../../../core/chain/importing/validation.ts'
import {
  build,
  extend,
  failureOf,
  importNow,
  nextBlock,
  openTestChain,
  sealedHeader,
  transfer,
} from './support/chain.ts'
import { openEthashChain } from './support/ethash.ts'
import { OUTSIDER, USERS, VALIDATORS } from './support/keys.ts'
import { memoryStore } from './support/memory.ts'

const [ALICE, BOB] = USERS
const WORD = new Uint8Array(32).fill(7)

/** Another validator's proposal, without seals. */
const proposalOf = async (chain: Chain, round = 0): Promise<Block> =>
  (await build(chain, [transfer(ALICE, 0), transfer(BOB, 0)], { round })).block

const verifyNow = (chain: Chain, block: Block, aheadMs = 0): Promise<BuiltBlock> =>
  chain.verifyBlock(block, { nowMs: Number(block.header.timestamp) * 1000 - aheadMs })

/** The header with another round, sealed by all. */
const inRound = (header: Header, round: number): Header =>
  sealedHeader({
    ...header,
    extraData: encodeExtraData({ ...decodeExtraData(header.extraData), round }),
  })

const two = async (): Promise<readonly [maker: Chain, other: Chain]> => [
  await openTestChain(),
  await openTestChain(),
]

describe('given a block that another validator proposes', () => {
  test('when it is verified without seals, then it can be committed with them', async () => {
    const [maker, chain] = await two()
    const proposal = await proposalOf(maker)
    const verified = await verifyNow(chain, proposal)
    expect(verified.senders).toEqual([ALICE.address, BOB.address])
    expect(verified.receipts.map(({ status }) => status)).toEqual([true, true])
    expect(await chain.commitBuilt(verified, sealedHeader(proposal.header))).toBe('imported')
    const record = await chain.store.record(1n)
    expect(record?.block.transactions).toHaveLength(2)
    expect(chain.store.stateAt(1n).account(ALICE.address)?.nonce).toBe(1n)
  })

  test('when it is not committed, then it leaves nothing behind', async () => {
    const kv = memoryStore()
    const [maker] = await two()
    const chain = await openTestChain({}, kv)
    const verified = await verifyNow(chain, await proposalOf(maker))
    expect(chain.head().header.number).toBe(0n)
    expect(await chain.store.record(1n)).toBeUndefined()
    expect(chain.store.stateAt(0n).account(ALICE.address)?.nonce).toBe(0n)
    await chain.store.close()
    const reopened = await openTestChain({}, kv)
    expect(reopened.head().header.number).toBe(0n)
    expect(
      await failureOf(reopened.commitBuilt(verified, sealedHeader(verified.block.header))),
    ).toMatchObject({ code: 'NOT_BUILT_HERE' })
  })

  test('when it is committed in any round, then it is not executed again', async () => {
    const [maker] = await two()
    let asked = 0
    const chain = await openTestChain({}, memoryStore(), {
      recoverSenders: transactions => {
        asked++
        return recoverHere(transactions)
      },
    })
    const proposal = await proposalOf(maker, 1)
    const verified = await verifyNow(chain, proposal)
    const header = inRound(proposal.header, 4)
    expect(await chain.commitBuilt(verified, header)).toBe('imported')
    expect(asked).toBe(1)
    expect(decodeExtraData(chain.head().header.extraData).round).toBe(4)
    expect(chain.head().hash).toEqual((await chain.store.record(1n))?.hash as Uint8Array)
  })

  test('when it reached the chain another way, then it is known, even below later blocks', async () => {
    const [maker, chain] = await two()
    const proposal = await proposalOf(maker)
    const verified = await verifyNow(chain, proposal)
    const first = { ...proposal, header: sealedHeader(proposal.header) }
    expect(await importNow(chain, first)).toBe('imported')
    expect(await chain.commitBuilt(verified, sealedHeader(proposal.header, VALIDATORS.slice(1)))).toBe(
      'known',
    )
    await extend(chain)
    expect(await chain.commitBuilt(verified, sealedHeader(proposal.header))).toBe('known')
    expect(await importNow(chain, first)).toBe('known')
    expect(chain.head().header.number).toBe(2n)
  })

  test('when another block took its height, then it is refused', async () => {
    const [maker, chain] = await two()
    const proposal = await proposalOf(maker)
    const verified = await verifyNow(chain, proposal)
    const taken = await extend(chain)
    expect(await failureOf(chain.commitBuilt(verified, sealedHeader(proposal.header)))).toMatchObject({
      rule: 'ancestry',
    })
    expect(chain.head().header).toEqual(taken.header)
  })

  test('when it is committed, then it needs a quorum of seals, and nothing else may change', async () => {
    const [maker, chain] = await two()
    const proposal = await proposalOf(maker)
    const verified = await verifyNow(chain, proposal)
    const refusal = (header: Header) => failureOf(chain.commitBuilt(verified, header))
    expect(await refusal(sealedHeader(proposal.header, VALIDATORS.slice(2)))).toMatchObject({
      rule: 'seal-quorum',
    })
    expect(await refusal(sealedHeader(proposal.header, [...VALIDATORS.slice(1), OUTSIDER]))).toMatchObject({
      rule: 'seal-signer',
    })
    expect(await refusal(sealedHeader({ ...proposal.header, gasLimit: 1n }))).toMatchObject({
      rule: 'extra-data',
    })
    expect(await chain.commitBuilt(verified, sealedHeader(proposal.header))).toBe('imported')
  })

  test('when it is one second early, then it is accepted, and no more', async () => {
    const [maker, chain] = await two()
    const proposal = await proposalOf(maker)
    expect(await failureOf(verifyNow(chain, proposal, 1001))).toMatchObject({ rule: 'future-timestamp' })
    expect(await failureOf(verifyNow(chain, proposal, 1000))).toBeUndefined()
  })

  const extra = (header: Header, validators: readonly Address[]): Partial<Header> => ({
    extraData: encodeExtraData({ ...decodeExtraData(header.extraData), validators }),
  })
  test.each<[rule: string, change: (header: Header) => Partial<Header>]>([
    ['ancestry', () => ({ parentHash: WORD })],
    ['ancestry', ({ number }) => ({ number: number + 1n })],
    ['mix-hash', () => ({ mixHash: WORD })],
    ['difficulty', () => ({ difficulty: 2n })],
    ['validators', header => extra(header, [OUTSIDER.address])],
    ['coinbase-validator', () => ({ coinbase: OUTSIDER.address })],
    ['timestamp-spacing', ({ timestamp }) => ({ timestamp: timestamp - 1n })],
    ['extra-data', () => ({ extraData: new Uint8Array(0) })],
    ['gas-used', ({ gasUsed }) => ({ gasUsed: gasUsed + 1n })],
    ['state-root', () => ({ stateRoot: WORD })],
    ['receipts-root', () => ({ receiptsRoot: WORD })],
    ['transactions-root', () => ({ transactionsRoot: WORD })],
  ])('when it breaks %s, then it is refused', async (rule, change) => {
    const [maker, chain] = await two()
    const { header, ...body } = await proposalOf(maker)
    const broken = { ...body, header: { ...header, ...change(header) } }
    const refusal = await failureOf(verifyNow(chain, broken))
    expect(refusal).toBeInstanceOf(InvalidBlock)
    expect(refusal).toHaveProperty('rule', rule)
    expect(await failureOf(verifyNow(chain, { ...body, header }))).toBeUndefined()
  })

  test('when blocks are imported meanwhile, then the calls wait for each other', async () => {
    const [maker, chain] = await two()
    const first = await extend(maker)
    const second = await nextBlock(maker, [transfer(ALICE, 0)])
    const unsealed = (await build(maker, [transfer(ALICE, 0)])).block
    const [imported, verified, known] = await Promise.all([
      importNow(chain, first),
      verifyNow(chain, unsealed),
      importNow(chain, first),
    ])
    expect([imported, known]).toEqual(['imported', 'known'])
    expect(await chain.commitBuilt(verified, second.header)).toBe('imported')
  })

  test('when it is verified, then other work runs between slices', async () => {
    const [maker] = await two()
    let pauses = 0
    const chain = await openTestChain({}, memoryStore(), {
      pause: () => {
        pauses++
        return Promise.resolve()
      },
    })
    const sent = Array.from({ length: 600 }, (_, nonce) => transfer(ALICE, nonce))
    const { block } = await build(maker, sent)
    const verified = await verifyNow(chain, block)
    expect(verified.senders).toHaveLength(600)
    expect(pauses).toBeGreaterThanOrEqual(3)
    await chain.commitBuilt(verified, sealedHeader(block.header))
    expect(toHex(chain.head().header.stateRoot)).toBe(toHex(block.header.stateRoot))
  })
})

describe('given the votes after the head', () => {
  test('when blocks carry votes, then they are counted', async () => {
    const chain = await openTestChain()
    expect(await chain.voteTally()).toEqual({
      validators: VALIDATORS.map(({ address }) => address),
      votes: [],
    })
    await extend(chain, [], { vote: { recipient: OUTSIDER.address, type: 'add' } })
    expect((await chain.voteTally())?.votes).toEqual([
      { voter: VALIDATORS[0].address, recipient: OUTSIDER.address, type: 'add' },
    ])
  })

  test('when an epoch block comes, then they are cleared', async () => {
    const chain = await openTestChain({ qbft: { epochlength: 2 } })
    await extend(chain, [], { vote: { recipient: OUTSIDER.address, type: 'add' } })
    expect((await chain.voteTally())?.votes).toHaveLength(1)
    await extend(chain)
    expect((await chain.voteTally())?.votes).toEqual([])
  })

  test('when a contract selects the next validators, then there are none', async () => {
    const contract = '0x0000000000000000000000000000000000008888'
    const config = {
      transitions: {
        qbft: [{ block: 2, validatorselectionmode: 'contract', validatorcontractaddress: contract }],
      },
    }
    const chain = await openTestChain({ config })
    expect(await chain.voteTally()).toBeDefined()
    await extend(chain)
    expect(await chain.voteTally()).toBeUndefined()
  })

  test('when the chain is not QBFT, then there are none', async () => {
    expect(await (await openEthashChain({})).voteTally()).toBeUndefined()
  })
})
