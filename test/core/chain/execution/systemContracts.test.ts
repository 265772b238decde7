import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'bun:test'
import { concatBytes, ZERO_HASH } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import type { Block } from '../../../../core/block/block.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { EMPTY_REQUESTS_HASH } from '../../../../core/genesis/genesisBlock.ts'
import {
  brokenRule,
  build,
  extend,
  nextBlock,
  openTestChain,
  resealed,
  transfer,
  failureOf,
} from '../support/chain.ts'
import { ethashBlock, openEthashChain } from '../support/ethash.ts'
import { USERS } from '../support/keys.ts'

const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935'
const DEPOSITS = '0x00000000000000000000000000000000000000d1'
const WITHDRAWALS = '0x00000961ef480eb55e80d19ad83579a64c007002'
const CONSOLIDATIONS = '0x0000bbddc7ce488642fb579f8b00f3a590007251'

/** SSTORE(0, CALLDATALOAD(0)). */
const STORES = { balance: '0x0', code: '0x60003560005500' }
/** Returns the one byte. */
const answers = (byte: string) => ({ balance: '0x0', code: `0x60${byte}60005360016000f3` })
const REVERTS = { balance: '0x0', code: '0x60006000fd' }
/** LOG1 of its call data, with the first word as topic: a deposit contract that accepts everything. */
const LOGS = { balance: '0x0', code: '0x60203603806020600037600035906000a100' }

const word = (value: number | bigint): Uint8Array => bigintToFixedBytes(BigInt(value), 32)

const slot = (chain: Chain, address: string): string => {
  const bytes = Uint8Array.from(Buffer.from(address.slice(2), 'hex'))
  const state = chain.store.stateAt(chain.head().header.number)
  const account = state.account(bytes)
  return account === undefined ? 'none' : toHex(state.storage(bytes, account, word(0)))
}

const addresses = {
  depositContractAddress: DEPOSITS,
  withdrawalRequestContractAddress: WITHDRAWALS,
  consolidationRequestContractAddress: CONSOLIDATIONS,
}
const contracts = {
  [BEACON_ROOTS]: STORES,
  [HISTORY]: STORES,
  [DEPOSITS]: LOGS,
  [WITHDRAWALS]: answers('aa'),
  [CONSOLIDATIONS]: answers('bb'),
}

const DEPOSIT_EVENT = Buffer.from('649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5', 'hex')
const PARTS = [48, 32, 8, 96, 8].map((length, index) => new Uint8Array(length).fill(index + 1))
/** ABI encoding of the five parts of a deposit. */
const depositData = (parts: readonly Uint8Array[]): Uint8Array => {
  const tails = parts.map(part =>
    concatBytes(word(part.length), part, new Uint8Array((32 - (part.length % 32)) % 32)),
  )
  let offset = 32 * parts.length
  const heads = tails.map(tail => {
    const head = word(offset)
    offset += tail.length
    return head
  })
  return concatBytes(...heads, ...tails)
}

const deposit = (data: Uint8Array) =>
  transfer(USERS[0], 0, {
    to: Uint8Array.from(Buffer.from(DEPOSITS.slice(2), 'hex')),
    value: 0n,
    gasLimit: 200_000n,
    data: concatBytes(DEPOSIT_EVENT, data),
  })

const hashOfRequests = (...requests: readonly Uint8Array[]): Uint8Array =>
  sha256(concatBytes(...requests.map(request => sha256(request))))

/** The block with a beacon root of zeros and this hash of requests. */
const withRequests = (block: Block, requestsHash: Uint8Array): Block =>
  resealed(block, { parentBeaconBlockRoot: ZERO_HASH, requestsHash })

describe('given a QBFT chain', () => {
  test('when it does not name the system contracts, then it never calls them, even if they exist', async () => {
    const chain = await openTestChain({ alloc: contracts })
    const block = await extend(chain, [deposit(depositData(PARTS))])
    expect(slot(chain, HISTORY)).toBe(toHex(word(0)))
    const other = await openTestChain({ alloc: contracts })
    expect(await brokenRule(other, withRequests(block, EMPTY_REQUESTS_HASH))).toBeUndefined()
  })

  test('when it names all three, then it stores hashes and collects requests', async () => {
    const chain = await openTestChain({ alloc: contracts, config: addresses })
    const parent = chain.head()
    const block = await extend(chain, [deposit(depositData(PARTS))])
    expect(slot(chain, HISTORY)).toBe(toHex(parent.hash))
    const other = await openTestChain({ alloc: contracts, config: addresses })
    const requests = hashOfRequests(
      concatBytes(Uint8Array.of(0), ...PARTS),
      Uint8Array.of(1, 0xaa),
      Uint8Array.of(2, 0xbb),
    )
    expect(await brokenRule(other, withRequests(block, EMPTY_REQUESTS_HASH))).toBe('requests-hash')
    expect(await brokenRule(other, withRequests(block, requests))).toBeUndefined()
  })

  test('when it makes a block, then the header has the hash of the requests that the contracts return', async () => {
    const chain = await openTestChain({ alloc: contracts, config: addresses })
    const { header } = await extend(chain)
    const requests = hashOfRequests(Uint8Array.of(1, 0xaa), Uint8Array.of(2, 0xbb))
    expect([header.parentBeaconBlockRoot, header.requestsHash]).toEqual([ZERO_HASH, requests])
  })

  test('when a block of an earlier release has neither field, then it is valid beside those that have them', async () => {
    const chain = await openTestChain({ alloc: contracts, config: addresses })
    const without = resealed(await nextBlock(chain), {
      parentBeaconBlockRoot: undefined,
      requestsHash: undefined,
    })
    expect(await brokenRule(chain, without)).toBeUndefined()
    const { header } = await extend(chain)
    expect([header.number, header.requestsHash === undefined]).toEqual([2n, false])
  })

  test('when no deposit was made, then the hash has none', async () => {
    const chain = await openTestChain({ alloc: contracts, config: addresses })
    const requests = hashOfRequests(Uint8Array.of(1, 0xaa), Uint8Array.of(2, 0xbb))
    expect(await brokenRule(chain, withRequests(await nextBlock(chain), requests))).toBeUndefined()
  })

  test.each([
    ['one is not deployed', { ...contracts, [WITHDRAWALS]: { balance: '0x1' } }, depositData(PARTS)],
    ['one fails', { ...contracts, [CONSOLIDATIONS]: REVERTS }, depositData(PARTS)],
    ['a deposit event does not have the layout of EIP-6110', contracts, depositData(PARTS.slice().reverse())],
  ])('when %s, then it accepts and makes no block', async (_, alloc, data) => {
    // The addresses are not part of the genesis block, so that both can be given the same block.
    const maker = await openTestChain({ alloc })
    const block = await nextBlock(maker, [deposit(data)])
    const chain = await openTestChain({ alloc, config: addresses })
    expect(await brokenRule(chain, block)).toBe('system-contract')
    expect(await failureOf(build(chain, [deposit(data)]))).toMatchObject({ code: 'SYSTEM_CONTRACT_FAILURE' })
    expect(chain.head()).toEqual(chain.genesis)
  })
})

test('given a proof of stake chain with the contracts, when Cancun and Prague are active, then it stores beacon roots and block hashes', async () => {
  const forks = {
    londonBlock: 0,
    mergeNetSplitBlock: 1,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
  }
  const cancun = await openEthashChain(forks, contracts)
  await importBlock(cancun)
  expect(slot(cancun, BEACON_ROOTS)).toBe(toHex(new Uint8Array(32).fill(0xbe)))
  expect(slot(cancun, HISTORY)).toBe(toHex(word(0)))
  const prague = await openEthashChain(
    { ...forks, pragueTime: 0, depositContractAddress: DEPOSITS },
    contracts,
  )
  const parent = prague.head()
  await importBlock(prague)
  expect(slot(prague, HISTORY)).toBe(toHex(parent.hash))
  const bare = await openEthashChain(forks)
  await importBlock(bare)
  expect(slot(bare, BEACON_ROOTS)).toBe('none')
})

const importBlock = async (chain: Chain): Promise<void> => {
  const block = await ethashBlock(chain, { stake: true })
  expect(await brokenRule(chain, block)).toBeUndefined()
}
