import { describe, expect, test } from 'bun:test'
import { EMPTY_BYTES, ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { decodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { blockHashesAfter } from '../../../../core/chain/execution/environment.ts'
import type { ChainHead } from '../../../../core/store/store.ts'
import {
  brokenRule,
  extend,
  importNow,
  nextBlock,
  openTestChain,
  resealed,
  transfer,
} from '../support/chain.ts'
import { ethashBlock, openEthashChain } from '../support/ethash.ts'
import { USERS, VALIDATORS } from '../support/keys.ts'

const [ALICE, BOB] = USERS
const FUNDS = Object.fromEntries(
  USERS.map(({ address }) => [toHex(address), { balance: '0x56bc75e2d63100000' }]),
)
const CODE = (code: string) => ({ balance: '0x0', code })
const at = (byte: number) => new Uint8Array(20).fill(byte)

describe('given receipts', () => {
  test('when they are before Byzantium, then they have the state root instead of a status', async () => {
    const chain = await openEthashChain({}, FUNDS)
    const sent = [transfer(ALICE, 0, { chainId: undefined }), transfer(BOB, 0, { chainId: undefined })]
    await importNow(chain, await ethashBlock(chain, { transactions: sent, coinbase: at(0xc0) }))
    const receipts = (await chain.store.record(1n))?.receipts ?? []
    expect(receipts.map(({ status }) => status)).toEqual([undefined, undefined])
    const roots = receipts.map(({ postStateRoot }) => toHex(postStateRoot ?? EMPTY_BYTES))
    // They differ from each other and from the block's state root, which includes the reward.
    expect(new Set([...roots, toHex(chain.head().header.stateRoot)]).size).toBe(3)
  })

  test('when they are read, then they have gas, price, contract and failure reason, which no encoding has', async () => {
    // Reverts with the four bytes 0x01020304.
    const reverts = CODE('0x630102030460e01b60005260046000fd')
    const chain = await openTestChain({ alloc: { [toHex(at(0x44))]: reverts } })
    const creation = transfer(ALICE, 0, {
      to: undefined,
      value: 0n,
      gasLimit: 100_000n,
      data: Uint8Array.of(0),
    })
    const failing = transfer(ALICE, 1, { to: at(0x44), value: 0n, gasLimit: 100_000n })
    await extend(chain, [creation, failing])
    const receipts = (await chain.store.record(1n))?.receipts ?? []
    expect(receipts).toHaveLength(2)
    expect(receipts[0]).toMatchObject({
      status: true,
      effectiveGasPrice: 2_000_000_000n,
      revertReason: undefined,
    })
    expect(receipts[0]?.contractAddress).toHaveLength(20)
    expect(receipts[1]).toMatchObject({ status: false, revertReason: Uint8Array.of(1, 2, 3, 4), logs: [] })
    expect(receipts[1]?.cumulativeGasUsed).toBe((receipts[0]?.gasUsed ?? 0n) + (receipts[1]?.gasUsed ?? 0n))
  })
})

describe('given contracts on a QBFT block', () => {
  // Stores at 0 to 4: COINBASE, PREVRANDAO, BLOCKHASH(NUMBER - 1), BASEFEE, BLOBBASEFEE.
  const watcher = CODE('0x41600055446001556001430340600255486003554a60045500')

  const seen = async (config: object, qbft: object = {}) => {
    const address = at(0x55)
    const chain = await openTestChain({ config, qbft, alloc: { [toHex(address)]: watcher } })
    const parent = chain.head()
    await extend(chain, [transfer(ALICE, 0, { to: address, value: 0n, gasLimit: 200_000n })])
    const state = chain.store.stateAt(1n)
    const account = state.account(address)
    if (account === undefined) throw new Error('the contract is gone')
    const slots = [0, 1, 2, 3, 4].map(slot =>
      toHex(state.storage(address, account, new Uint8Array(32).fill(slot, 31))),
    )
    return { chain, parent, slots }
  }
  const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

  test('when they read the block, then they see proposer, mixHash, parent hash and fees', async () => {
    const { chain, parent, slots } = await seen({})
    expect(slots).toEqual([
      `0x${'00'.repeat(12)}${toHex(VALIDATORS[0].address).slice(2)}`,
      toHex(chain.head().header.mixHash),
      toHex(parent.hash),
      word(875_000_000n),
      word(1n),
    ])
  })

  test('when a beneficiary is configured, then they see it, and no fees where those are zero', async () => {
    const { slots } = await seen({ zeroBaseFee: true }, { miningbeneficiary: toHex(at(0xbe)) })
    expect(slots[0]).toBe(`0x${'00'.repeat(12)}${'be'.repeat(20)}`)
    expect(slots.slice(3)).toEqual([word(0n), word(0n)])
  })
})

test('given BLOCKHASH, when it is executed, then it reaches the 256 blocks before, and no further', () => {
  const parent = { header: { number: 300n }, hash: at(1) } as unknown as ChainHead
  const asked: bigint[] = []
  const blockHash = blockHashesAfter(parent, number => {
    asked.push(number)
    return at(2)
  })
  expect(blockHash(300n)).toEqual(at(1))
  expect(blockHash(299n)).toEqual(at(2))
  expect(blockHash(45n)).toEqual(at(2))
  expect(blockHash(44n)).toBeUndefined()
  expect(blockHash(301n)).toBeUndefined()
  expect(asked).toEqual([299n, 45n])
})

describe('given blocks of Besu’s proposers', () => {
  test.each(['cancun', 'prague'] as const)(
    'when a header is %s, then it has the fork’s fields, or ends before the beacon root as in earlier releases',
    async fork => {
      const chain = await openTestChain({ fork })
      const block = await extend(chain, [transfer(ALICE, 0)])
      expect(block.header.parentBeaconBlockRoot).toEqual(ZERO_HASH)
      const short = resealed(await nextBlock(chain, [transfer(ALICE, 1)]), {
        parentBeaconBlockRoot: undefined,
        requestsHash: undefined,
      })
      expect(await brokenRule(chain, short)).toBeUndefined()
      await extend(chain)
      expect(chain.head().header.number).toBe(3n)
    },
  )

  test('when the genesis file reaches London by time alone, then the network begins without a base fee', async () => {
    const chain = await openTestChain({ fork: 'istanbul', config: { shanghaiTime: 0 } })
    expect(chain.genesis.header.baseFeePerGas).toBeUndefined()
    const block = await extend(chain)
    expect(block.header.baseFeePerGas).toBe(0n)
    expect(decodeExtraData(block.header.extraData).validators).toHaveLength(4)
  })
})
