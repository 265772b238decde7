import { describe, expect, test } from 'bun:test'
import { type Address, ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { nextGasLimit } from '../../../../core/chain/building/building.ts'
import { decodeExtraData, encodeExtraData } from '../../../../core/block/codec/extraData.ts'
import type { SenderTransaction } from '../../../../core/block/transaction.ts'
import { EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import { MissingEntries } from '../../../../core/state/account.ts'
import type { ChainStore } from '../../../../core/store/store.ts'
import {
  brokenRule,
  build,
  candidatesOf,
  extend,
  importNow,
  nextBlock,
  openTestChain,
  sealedHeader,
  transfer,
  failureOf,
} from '../support/chain.ts'
import { OUTSIDER, USERS, VALIDATORS } from '../support/keys.ts'

const [ALICE, BOB, CAROL] = USERS
const hashes = (sent: readonly SenderTransaction[]) => sent.map(({ transaction }) => toHex(transaction.hash))

describe('nextGasLimit', () => {
  test('without a target it is the one before', () => {
    expect(nextGasLimit(30_000_000n, undefined)).toBe(30_000_000n)
  })

  test('with one it moves by less than a 1024th, and stops there', () => {
    const step = 30_000_000n / 1024n - 1n
    expect(nextGasLimit(30_000_000n, 60_000_000n)).toBe(30_000_000n + step)
    expect(nextGasLimit(30_000_000n, 1n)).toBe(30_000_000n - step)
    expect(nextGasLimit(30_000_000n, 30_000_007n)).toBe(30_000_007n)
  })
})

describe('a built block', () => {
  test('is taken by every other node of the network', async () => {
    const maker = await openTestChain()
    const other = await openTestChain()
    const block = await extend(maker, [transfer(ALICE, 0), transfer(BOB, 0), transfer(ALICE, 1)], {
      targetGasLimit: 60_000_000n,
    })
    expect(await importNow(other, block)).toBe('imported')
  })

  test('carries vanity, validators and round in its extraData, and no seals', async () => {
    const chain = await openTestChain()
    const { block } = await build(chain, [], { vanity: Uint8Array.of(1, 2), round: 5 })
    expect(decodeExtraData(block.header.extraData)).toEqual({
      vanity: Uint8Array.of(...new Uint8Array(30), 1, 2),
      validators: VALIDATORS.map(({ address }) => address),
      vote: undefined,
      round: 5,
      seals: [],
    })
  })

  test('has exactly the fields of its fork', async () => {
    const fields = async (fork: 'berlin' | 'london' | 'shanghai' | 'cancun' | 'prague') => {
      const { block } = await build(await openTestChain({ fork }))
      const { baseFeePerGas, withdrawalsRoot, excessBlobGas, parentBeaconBlockRoot, requestsHash } =
        block.header
      return {
        fee: baseFeePerGas !== undefined,
        withdrawals: [withdrawalsRoot, block.withdrawals],
        blobs: [block.header.blobGasUsed, excessBlobGas],
        parentBeaconBlockRoot,
        requestsHash,
      }
    }
    const berlin = {
      fee: false,
      withdrawals: [undefined, undefined],
      blobs: [undefined, undefined],
      parentBeaconBlockRoot: undefined,
      requestsHash: undefined,
    }
    expect(await fields('berlin')).toEqual(berlin)
    const london = { ...berlin, fee: true }
    expect(await fields('london')).toEqual(london)
    const shanghai = { ...london, withdrawals: [EMPTY_TRIE_ROOT, []] }
    expect(await fields('shanghai')).toEqual(shanghai)
    // Besu's proposers end the header here, whatever the fork.
    const cancun = { ...shanghai, blobs: [0n, 0n] }
    expect(await fields('cancun')).toEqual(cancun)
    expect(await fields('prague')).toEqual(cancun)
  })

  test('pays fees and the block reward to the beneficiary where one is configured', async () => {
    const beneficiary = new Uint8Array(20).fill(0xbe)
    const chain = await openTestChain({
      qbft: { blockreward: '5000000000000000000', miningbeneficiary: toHex(beneficiary) },
      config: { zeroBaseFee: true },
    })
    await extend(chain, [transfer(ALICE, 0)])
    const state = chain.store.stateAt(1n)
    expect(state.account(beneficiary)?.balance).toBe(5n * 10n ** 18n + 21_000n * 2_000_000_000n)
    expect(state.account(VALIDATORS[0].address)).toBeUndefined()
  })

  test('on a fixedBaseFee network charges the minimum gas price of its maker', async () => {
    const chain = await openTestChain({ config: { fixedBaseFee: true } })
    const { block } = await build(chain, [], { minGasPrice: 77n })
    expect(block.header.baseFeePerGas).toBe(77n)
    expect(await brokenRule(chain, { ...block, header: sealedHeader(block.header) })).toBeUndefined()
  })

  test('doubles the gas limit at the London block', async () => {
    const chain = await openTestChain({ fork: 'berlin', config: { londonBlock: 2 } })
    const first = await extend(chain)
    const second = await extend(chain)
    expect(second.header.gasLimit).toBe(2n * first.header.gasLimit)
    expect(second.header.baseFeePerGas).toBe(1_000_000_000n)
  })
})

describe('what a block takes of the candidates', () => {
  test('what fits, in their order; the next ones of a sender that cannot be served are passed over', async () => {
    const chain = await openTestChain()
    const alice = [transfer(ALICE, 0), transfer(ALICE, 1, { gasLimit: 29_990_000n }), transfer(ALICE, 2)]
    const bob = [transfer(BOB, 0), transfer(BOB, 1)]
    const built = await build(chain, [...alice, ...bob])
    expect(built.block.transactions.map(({ hash }) => toHex(hash))).toEqual(
      hashes([alice[0] as SenderTransaction, ...bob]),
    )
    expect(built.senders).toEqual([ALICE.address, BOB.address, BOB.address])
    expect(built.rejected).toEqual([])
  })

  test('nothing that offers less than the minimum gas price, or leaves less than the minimum priority fee', async () => {
    const chain = await openTestChain({ config: { zeroBaseFee: true } })
    const cheap = transfer(ALICE, 0, { maxFeePerGas: 9n, maxPriorityFeePerGas: 9n })
    const tipless = transfer(BOB, 0, { type: 2, maxFeePerGas: 100n, maxPriorityFeePerGas: 4n })
    const fair = transfer(CAROL, 0, { maxFeePerGas: 10n, maxPriorityFeePerGas: 10n })
    const built = await build(chain, [cheap, tipless, fair], { minGasPrice: 10n, minPriorityFee: 5n })
    expect(built.block.transactions.map(({ hash }) => toHex(hash))).toEqual(hashes([fair]))
    expect(built.rejected).toEqual([])
  })

  test('what the pool took while the base fee was higher: the price it offers counts', async () => {
    const chain = await openTestChain({ config: { zeroBaseFee: true } })
    const taken = transfer(ALICE, 0, { type: 2, maxFeePerGas: 100n, maxPriorityFeePerGas: 0n })
    expect((await build(chain, [taken], { minGasPrice: 10n })).block.transactions).toHaveLength(1)
  })

  test('transactions that can never be executed are given back with the reason', async () => {
    const chain = await openTestChain()
    await extend(chain, [transfer(ALICE, 0)])
    const old = transfer(ALICE, 0)
    const foreign = transfer(BOB, 0, { chainId: 5n })
    const blob = transfer(CAROL, 0, {
      type: 3,
      maxFeePerBlobGas: 1n,
      blobVersionedHashes: [new Uint8Array(32).fill(1, 0, 1)],
    })
    const built = await build(chain, [old, transfer(ALICE, 1), foreign, transfer(BOB, 1), blob])
    expect(hashes(built.rejected.map(({ transaction }) => transaction))).toEqual(hashes([old, foreign, blob]))
    expect(built.rejected[2]?.reason).toContain('blob')
    expect(built.block.transactions).toHaveLength(1)
  })

  test('one that may be good later stays: a gap, or funds that are missing', async () => {
    const chain = await openTestChain()
    const poor = transfer(OUTSIDER, 0)
    const built = await build(chain, [transfer(ALICE, 1), poor, transfer(BOB, 0)])
    expect(built.block.transactions).toHaveLength(1)
    expect(built.rejected).toEqual([])
  })

  test('no more once it is told to close', async () => {
    const chain = await openTestChain()
    let asked = 0
    const { block } = await build(
      chain,
      [0, 1, 2, 3].map(nonce => transfer(ALICE, nonce)),
      {
        full: () => asked++ >= 1,
      },
    )
    expect(block.transactions).toHaveLength(2)
  })

  test('one that is good, however late it is: a machine that is slow makes small blocks, not empty ones', async () => {
    const chain = await openTestChain()
    const { block } = await build(chain, [transfer(OUTSIDER, 0), transfer(ALICE, 0), transfer(BOB, 0)], {
      full: () => true,
    })
    expect(block.transactions).toHaveLength(1)
  })

  test('with pauses while candidates are refused: a pool of them holds up nobody', async () => {
    let pauses = 0
    const chain = await openTestChain({}, undefined, {
      pause: () => {
        pauses++
        return Promise.resolve()
      },
    })
    const tooEarly = candidatesOf(Array.from({ length: 500 }, () => transfer(ALICE, 1)))
    const { block } = await build(chain, [], { candidates: { ...tooEarly, skip: () => undefined } })
    expect(block.transactions).toHaveLength(0)
    expect(pauses).toBeGreaterThanOrEqual(4)
  })

  test('candidates are asked once each, though the run over the store is repeated', async () => {
    const chain = await openTestChain()
    const { store: plain } = chain
    let runs = 0
    let reads = 0
    const missing = new MissingEntries(['account'])
    const store: ChainStore = {
      ...plain,
      stateAt(number) {
        const reader = plain.stateAt(number)
        const account = (address: Address) => {
          if (reads++ === 2) throw missing
          return reader.account(address)
        }
        return { ...reader, account }
      },
      async run(run) {
        for (;;)
          try {
            runs++
            return run()
          } catch (error) {
            if (error !== missing) throw error
          }
      },
    }
    const twice = await openTestChain({}, undefined, { store })
    const sent = [transfer(ALICE, 0), transfer(BOB, 3), transfer(BOB, 4), transfer(CAROL, 0)]
    let asked = 0
    const candidates = candidatesOf(sent)
    const counted = { ...candidates, next: () => (asked++, candidates.next()) }
    const { block } = await build(twice, [], { candidates: counted })
    expect(runs).toBeGreaterThanOrEqual(2)
    expect(asked).toBe(4)
    expect(block.transactions).toHaveLength(2)
  })
})

describe('what a proposer may not do', () => {
  test('build as somebody who is no validator, or too early', async () => {
    const chain = await openTestChain()
    expect(await failureOf(build(chain, [], { coinbase: OUTSIDER.address }))).toMatchObject({
      rule: 'coinbase-validator',
    })
    const { timestamp } = chain.head().header
    expect(await failureOf(build(chain, [], { timestamp: timestamp + 1n }))).toMatchObject({
      rule: 'timestamp-spacing',
    })
  })

  test('commit a block with too few seals', async () => {
    const chain = await openTestChain()
    const built = await build(chain)
    const header = sealedHeader(built.block.header, VALIDATORS.slice(0, 2))
    expect(await failureOf(chain.commitBuilt(built, header))).toMatchObject({ rule: 'seal-quorum' })
    expect(chain.head()).toEqual(chain.genesis)
  })

  test('commit a block whose header is not what was executed', async () => {
    const chain = await openTestChain()
    const built = await build(chain, [transfer(ALICE, 0)])
    const changed = sealedHeader({ ...built.block.header, stateRoot: ZERO_HASH })
    expect(await failureOf(chain.commitBuilt(built, changed))).toMatchObject({ rule: 'extra-data' })
    const extra = decodeExtraData(built.block.header.extraData)
    const voting = encodeExtraData({ ...extra, vote: { recipient: OUTSIDER.address, type: 'add' } })
    const voted = sealedHeader({ ...built.block.header, extraData: voting })
    expect(await failureOf(chain.commitBuilt(built, voted))).toMatchObject({ rule: 'extra-data' })
  })

  test('commit a block after another has taken its place', async () => {
    const chain = await openTestChain()
    const built = await build(chain, [transfer(ALICE, 0)])
    await importNow(chain, await nextBlock(chain, [], { coinbase: VALIDATORS[1].address }))
    expect(await failureOf(chain.commitBuilt(built, sealedHeader(built.block.header)))).toMatchObject({
      rule: 'ancestry',
    })
  })

  test('commit a block that the chain did not build', async () => {
    const chain = await openTestChain()
    const built = await build(await openTestChain())
    expect(await failureOf(chain.commitBuilt(built, sealedHeader(built.block.header)))).toMatchObject({
      code: 'NOT_BUILT_HERE',
    })
  })

  test('a block built in one round may be committed in a later one', async () => {
    const chain = await openTestChain()
    const built = await build(chain)
    const extra = decodeExtraData(built.block.header.extraData)
    const header = sealedHeader({ ...built.block.header, extraData: encodeExtraData({ ...extra, round: 2 }) })
    await chain.commitBuilt(built, header)
    expect(decodeExtraData(chain.head().header.extraData).round).toBe(2)
  })
})
