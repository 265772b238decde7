import { GAS_PER_BLOB } from '../../../core/block/transaction.ts'
import { describe, expect, test } from 'bun:test'
import type { Chain } from '../../../core/chain/chain.ts'
import { InvalidTransaction } from '../../../core/evm/transaction/result.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { brokenRule, failureOf, importNow, transfer } from './support/chain.ts'
import { ethashBlock, openEthashChain } from './support/ethash.ts'
import { type Key, USERS } from './support/keys.ts'

const [ALICE, BOB] = USERS
const FUNDS = Object.fromEntries(
  USERS.map(({ address }) => [toHex(address), { balance: '0x56bc75e2d63100000' }]),
)
const CANCUN = {
  londonBlock: 0,
  mergeNetSplitBlock: 1,
  terminalTotalDifficulty: 0,
  shanghaiTime: 0,
  cancunTime: 0,
}

const blobs = (from: Key, nonce: number, count: number, maxFeePerBlobGas = 1n) =>
  transfer(from, nonce, {
    type: 3,
    maxFeePerBlobGas,
    blobVersionedHashes: Array.from({ length: count }, () => new Uint8Array(32).fill(1, 0, 1)),
  })

const head = (chain: Chain) => chain.head().header

describe('given blob transactions in imported blocks (EIP-4844)', () => {
  test('when they are executed, then they pay for their blobs, and header and receipt have the gas', async () => {
    const chain = await openEthashChain(CANCUN, FUNDS)
    const before = 0x56bc75e2d63100000n
    const transactions = [blobs(ALICE, 0, 3, 9n), blobs(BOB, 0, 3)]
    await importNow(chain, await ethashBlock(chain, { stake: true, transactions }))
    expect(head(chain).blobGasUsed).toBe(6n * GAS_PER_BLOB)
    const record = await chain.store.record(1n)
    const receipt = record?.receipts[0]
    expect(receipt).toMatchObject({ type: 3, status: true, blobGasUsed: 3n * GAS_PER_BLOB, blobGasPrice: 1n })
    const paid = 21_000n * (receipt?.effectiveGasPrice ?? 0n) + 3n * GAS_PER_BLOB + 1n
    expect(chain.store.stateAt(1n).account(ALICE.address)?.balance).toBe(before - paid)
  })

  test('when they exceed the target, then the next block’s excess grows', async () => {
    const chain = await openEthashChain(CANCUN, FUNDS)
    await importNow(chain, await ethashBlock(chain, { stake: true, transactions: [blobs(ALICE, 0, 6)] }))
    const next = await ethashBlock(chain, { stake: true })
    expect(next.header.excessBlobGas).toBe(3n * GAS_PER_BLOB)
    expect(await brokenRule(chain, next)).toBeUndefined()
  })

  test('when they exceed the maximum together, then the block is refused', async () => {
    const chain = await openEthashChain(CANCUN, FUNDS)
    const refused = await failureOf(
      ethashBlock(chain, { stake: true, transactions: [blobs(ALICE, 0, 4), blobs(BOB, 0, 3)] }),
    )
    expect(refused).toBeInstanceOf(InvalidTransaction)
    expect(refused).toMatchObject({ code: 'TOO_MANY_BLOBS' })
  })

  test('when the header does not have their gas, then the block is refused', async () => {
    const chain = await openEthashChain(CANCUN, FUNDS)
    const block = await ethashBlock(chain, { stake: true, transactions: [blobs(ALICE, 0, 1)] })
    const header = { ...block.header, blobGasUsed: 0n }
    expect(await brokenRule(chain, { ...block, header })).toBe('blob-gas-used')
  })
})
