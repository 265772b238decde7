import { describe, expect, test } from 'bun:test'
import { type Address, ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { transactionsRootOf } from '../../../../core/chain/rules/body.ts'
import { nextGasLimit } from '../../../../core/chain/building/building.ts'
import { decodeExtraData, encodeExtraData } from '../../../../core/block/codec/extraData.ts'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { EMPTY_TRIE_ROOT } from '../../../../core/crypto/constants.ts'
import { EMPTY_REQUESTS_HASH } from '../../../../core/genesis/genesisBlock.ts'
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
  resealed,
  sealedHeader,
  transfer,
  failureOf,
} from '../support/chain.ts'
import { OUTSIDER, USERS, VALIDATORS } from '../support/keys.ts'

const [ALICE, BOB, CAROL] = USERS
const hashes = (sent: readonly RecoveredTransaction[]) =>
  sent.map(({ transaction }) => toHex(transaction.hash))

describe('given nextGasLimit', () => {
  test('when there is no target, then it is the parent’s', () => {
    expect(nextGasLimit(30_000_000n, undefined)).toBe(30_000_000n)
  })

  test('when there is a target, then it moves by less than a 1024th, and stops there', () => {
    const step = 30_000_000n / 1024n - 1n
    expect(nextGasLimit(30_000_000n, 60_000_000n)).toBe(30_000_000n + step)
    expect(nextGasLimit(30_000_000n, 1n)).toBe(30_000_000n - step)
    expect(nextGasLimit(30_000_000n, 30_000_007n)).toBe(30_000_007n)
  })
})

describe('given a built block', () => {
  test('when other nodes of the network import it, then all accept it', async () => {
    const maker = await openTestChain()
    const other = await openTestChain()
    const block = await extend(maker, [transfer(ALICE, 0), transfer(BOB, 0), transfer(ALICE, 1)], {
      targetGasLimit: 60_000_000n,
    })
    expect(await importNow(other, block)).toBe('imported')
  })

  test('when its extraData is read, then it has vanity, validators and round, and no seals', async () => {
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

  test('when its fork is given, then it has exactly the fields of that fork', async () => {
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
    // Besu's proposers write zeros, as there is no beacon chain; from Prague on Besu refuses blocks without a requests hash.
    const cancun = { ...shanghai, blobs: [0n, 0n], parentBeaconBlockRoot: ZERO_HASH }
    expect(await fields('cancun')).toEqual(cancun)
    expect(await fields('prague')).toEqual({ ...cancun, requestsHash: EMPTY_REQUESTS_HASH })
  })

  test('when a beneficiary is configured, then it gets fees and block reward', async () => {
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

  test('when the network has a fixedBaseFee, then the base fee is the proposer’s minimum gas price', async () => {
    const chain = await openTestChain({ config: { fixedBaseFee: true } })
    const { block } = await build(chain, [], { minGasPrice: 77n })
    expect(block.header.baseFeePerGas).toBe(77n)
    expect(await brokenRule(chain, { ...block, header: sealedHeader(block.header) })).toBeUndefined()
  })

  test('when it is the London block, then the gas limit doubles', async () => {
    const chain = await openTestChain({ fork: 'berlin', config: { londonBlock: 2 } })
    const first = await extend(chain)
    const second = await extend(chain)
    expect(second.header.gasLimit).toBe(2n * first.header.gasLimit)
    expect(second.header.baseFeePerGas).toBe(1_000_000_000n)
  })
})

describe('given the candidates of a block', () => {
  test('when one does not fit, then later ones of its sender are skipped, and others fill the block in order', async () => {
    const chain = await openTestChain()
    const alice = [transfer(ALICE, 0), transfer(ALICE, 1, { gasLimit: 29_990_000n }), transfer(ALICE, 2)]
    const bob = [transfer(BOB, 0), transfer(BOB, 1)]
    const built = await build(chain, [...alice, ...bob])
    expect(built.block.transactions.map(({ hash }) => toHex(hash))).toEqual(
      hashes([alice[0] as RecoveredTransaction, ...bob]),
    )
    expect(built.senders).toEqual([ALICE.address, BOB.address, BOB.address])
    expect(built.rejected).toEqual([])
  })

  test('when one offers less than the minimum gas price or priority fee, then it is left out', async () => {
    const chain = await openTestChain({ config: { zeroBaseFee: true } })
    const cheap = transfer(ALICE, 0, { maxFeePerGas: 9n, maxPriorityFeePerGas: 9n })
    const tipless = transfer(BOB, 0, { type: 2, maxFeePerGas: 100n, maxPriorityFeePerGas: 4n })
    const fair = transfer(CAROL, 0, { maxFeePerGas: 10n, maxPriorityFeePerGas: 10n })
    const built = await build(chain, [cheap, tipless, fair], { minGasPrice: 10n, minPriorityFee: 5n })
    expect(built.block.transactions.map(({ hash }) => toHex(hash))).toEqual(hashes([fair]))
    expect(built.rejected).toEqual([])
  })

  test('when the pool accepted it at a higher base fee, then its max fee per gas is checked', async () => {
    const chain = await openTestChain({ config: { zeroBaseFee: true } })
    const taken = transfer(ALICE, 0, { type: 2, maxFeePerGas: 100n, maxPriorityFeePerGas: 0n })
    expect((await build(chain, [taken], { minGasPrice: 10n })).block.transactions).toHaveLength(1)
  })

  test('when one can never be executed, then it is returned with the reason', async () => {
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

  test('when one would raise a balance above 256 bits, then it is returned as if it had not run, and others follow', async () => {
    const full = new Uint8Array(20).fill(0xbb)
    const giver = new Uint8Array(20).fill(0xcc)
    const chain = await openTestChain({
      alloc: {
        [toHex(full)]: { balance: `0x${'f'.repeat(64)}` },
        // Stores 1 at slot 0, then sends its call value to the full account.
        [toHex(giver)]: { balance: '0x0', code: `0x600160005560006000600060003473${'bb'.repeat(20)}5af100` },
      },
    })
    const direct = transfer(ALICE, 0, { to: full })
    const nested = transfer(BOB, 0, { to: giver, gasLimit: 100_000n })
    const built = await build(chain, [direct, nested, transfer(CAROL, 0)])
    expect(hashes(built.rejected.map(({ transaction }) => transaction))).toEqual(hashes([direct, nested]))
    expect(built.rejected[0]?.reason).toContain('256 bits')
    expect(await importNow(chain, await extend(chain, [direct, nested, transfer(CAROL, 0)]))).toBe('known')
    expect(chain.errors).toEqual([])

    const block = await nextBlock(chain, [transfer(CAROL, 1)])
    const transactions = [direct.transaction]
    const foreign = resealed(
      { ...block, transactions },
      { transactionsRoot: transactionsRootOf(transactions) },
    )
    expect(await brokenRule(chain, foreign)).toBe('transaction')
  })

  test('when one has a gap or lacks funds, then it stays', async () => {
    const chain = await openTestChain()
    const poor = transfer(OUTSIDER, 0)
    const built = await build(chain, [transfer(ALICE, 1), poor, transfer(BOB, 0)])
    expect(built.block.transactions).toHaveLength(1)
    expect(built.rejected).toEqual([])
  })

  test('when the block is closed, then the builder includes no more transactions', async () => {
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

  test('when the block has the gas that the caller allows, then it is closed', async () => {
    const chain = await openTestChain()
    const seen: bigint[] = []
    const { block } = await build(
      chain,
      [0, 1, 2, 3].map(nonce => transfer(ALICE, nonce)),
      {
        full: gasUsed => {
          seen.push(gasUsed)
          return gasUsed >= 42_000n
        },
      },
    )
    expect(block.transactions).toHaveLength(2)
    expect(seen).toEqual([21_000n, 42_000n])
  })

  test('when the machine is slow, then one valid transaction is still included', async () => {
    const chain = await openTestChain()
    const { block } = await build(chain, [transfer(OUTSIDER, 0), transfer(ALICE, 0), transfer(BOB, 0)], {
      full: () => true,
    })
    expect(block.transactions).toHaveLength(1)
  })

  test('when many are refused, then the builder pauses', async () => {
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

  test('when the run over the store repeats, then each candidate is taken once', async () => {
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

describe('given a proposer', () => {
  test('when it is not a validator, or too early, then it cannot build', async () => {
    const chain = await openTestChain()
    expect(await failureOf(build(chain, [], { coinbase: OUTSIDER.address }))).toMatchObject({
      rule: 'coinbase-validator',
    })
    const { timestamp } = chain.head().header
    expect(await failureOf(build(chain, [], { timestamp: timestamp + 1n }))).toMatchObject({
      rule: 'timestamp-spacing',
    })
  })

  test('when a block has too few seals, then it cannot commit', async () => {
    const chain = await openTestChain()
    const built = await build(chain)
    const header = sealedHeader(built.block.header, VALIDATORS.slice(0, 2))
    expect(await failureOf(chain.commitBuilt(built, header))).toMatchObject({ rule: 'seal-quorum' })
    expect(chain.head()).toEqual(chain.genesis)
  })

  test('when the header is not the executed one, then it cannot commit', async () => {
    const chain = await openTestChain()
    const built = await build(chain, [transfer(ALICE, 0)])
    const changed = sealedHeader({ ...built.block.header, stateRoot: ZERO_HASH })
    expect(await failureOf(chain.commitBuilt(built, changed))).toMatchObject({ rule: 'extra-data' })
    const extra = decodeExtraData(built.block.header.extraData)
    const voting = encodeExtraData({ ...extra, vote: { recipient: OUTSIDER.address, type: 'add' } })
    const voted = sealedHeader({ ...built.block.header, extraData: voting })
    expect(await failureOf(chain.commitBuilt(built, voted))).toMatchObject({ rule: 'extra-data' })
  })

  test('when another block took the height, then it cannot commit', async () => {
    const chain = await openTestChain()
    const built = await build(chain, [transfer(ALICE, 0)])
    await importNow(chain, await nextBlock(chain, [], { coinbase: VALIDATORS[1].address }))
    expect(await failureOf(chain.commitBuilt(built, sealedHeader(built.block.header)))).toMatchObject({
      rule: 'ancestry',
    })
  })

  test('when the chain did not build the block, then it cannot commit', async () => {
    const chain = await openTestChain()
    const built = await build(await openTestChain())
    expect(await failureOf(chain.commitBuilt(built, sealedHeader(built.block.header)))).toMatchObject({
      code: 'NOT_BUILT_HERE',
    })
  })

  test('when a block was built in an earlier round, then it can commit', async () => {
    const chain = await openTestChain()
    const built = await build(chain)
    const extra = decodeExtraData(built.block.header.extraData)
    const header = sealedHeader({ ...built.block.header, extraData: encodeExtraData({ ...extra, round: 2 }) })
    await chain.commitBuilt(built, header)
    expect(decodeExtraData(chain.head().header.extraData).round).toBe(2)
  })
})
