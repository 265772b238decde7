import { describe, expect, test } from 'bun:test'
import { encodeFunctionData, keccak256 as viemKeccak, type Hex } from 'viem'
import { type Address, padStartBytes } from '../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../../core/bytes/integer.ts'
import type { Block } from '../../../core/block/block.ts'
import type { BuildOptions, Chain } from '../../../core/chain/chain.ts'
import { decodeExtraData } from '../../../core/block/codec/extraData.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { ValidatorContractError } from '../../../core/validators/validatorContract.ts'
import { compile } from '../../support/programs/solc.ts'
import {
  brokenRule,
  build,
  extend,
  failureOf,
  nextBlock,
  openTestChain,
  type TestGenesis,
  transfer,
} from './support/chain.ts'
import { type Key, OUTSIDER, USERS, VALIDATORS } from './support/keys.ts'

const [V0, V1, V2, V3] = VALIDATORS
const [ALICE] = USERS
const FIRST = '0x0000000000000000000000000000000000008888'
const SECOND = '0x0000000000000000000000000000000000009999'

/** keccak of the slot of an array's length: the slot of its first element. */
const ELEMENTS = bytesToBigint(fromHex(viemKeccak(`0x${'00'.repeat(32)}`)))
const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, 32)

/** The contract in a genesis file, with these validators in its storage in this order. */
const account = (...keys: readonly Key[]): object => ({
  balance: '0x0',
  code: compile('Validators').runtimeBytecode,
  storage: Object.fromEntries([
    [toHex(word(0n)), toHex(word(BigInt(keys.length)))],
    ...keys.map(({ address }, index) => [
      toHex(word(ELEMENTS + BigInt(index))),
      toHex(padStartBytes(address, 32)),
    ]),
  ]),
})

const change = (
  nonce: number,
  functionName: 'activate' | 'deactivate',
  validator: Address,
  contract = FIRST,
): RecoveredTransaction =>
  transfer(ALICE, nonce, {
    to: fromHex(contract),
    value: 0n,
    gasLimit: 200_000n,
    data: fromHex(
      encodeFunctionData({ abi: compile('Validators').abi, functionName, args: [toHex(validator) as Hex] }),
    ),
  })

const byContract = (...keys: readonly Key[]): TestGenesis => ({
  validators: [],
  qbft: { validatorcontractaddress: FIRST },
  alloc: { [FIRST]: account(...keys) },
})

const transitions = (...qbft: readonly object[]): object => ({ transitions: { qbft } })
const toContract = (block: number, address: string): object => ({
  block,
  validatorselectionmode: 'contract',
  validatorcontractaddress: address,
})
const toVotes = (block: number, ...keys: readonly Key[]): object => ({
  block,
  validatorselectionmode: 'blockheader',
  validators: keys.map(({ address }) => toHex(address)),
})

const setOf = async (chain: Chain, number: bigint): Promise<readonly string[]> =>
  (await chain.validators(number)).map(toHex)
const namedBy = async (chain: Chain, number: bigint): Promise<readonly string[]> =>
  (await chain.validatorsNamedBy(number)).map(toHex)
const ascending = (...keys: readonly Key[]): readonly string[] =>
  keys.map(({ address }) => toHex(address)).toSorted()
const listed = (block: Block): readonly string[] =>
  decodeExtraData(block.header.extraData).validators.map(toHex)

/** One more block of the first of these validators, sealed by all of them. */
const step = (
  chain: Chain,
  keys: readonly Key[],
  sent: readonly RecoveredTransaction[] = [],
  options: Partial<BuildOptions> = {},
): Promise<Block> => extend(chain, sent, { coinbase: (keys[0] as Key).address, ...options }, keys)

describe('given a contract in the genesis file', () => {
  test.each<[name: string, genesis: TestGenesis]>([
    ['before London', { fork: 'berlin' }],
    ['with London', { fork: 'london' }],
    ['with Shanghai', { fork: 'shanghai' }],
    ['with Prague', { fork: 'prague' }],
    ['with zeroBaseFee', { fork: 'london', config: { zeroBaseFee: true } }],
    ['with fixedBaseFee', { fork: 'london', config: { fixedBaseFee: true } }],
  ])('when it is %s, then it selects the validators of block 0 and block 1', async (_, genesis) => {
    const chain = await openTestChain({ ...byContract(V1), ...genesis })
    const block = await step(chain, [V1])
    for (const number of [0n, 1n]) {
      expect(await setOf(chain, number)).toEqual(ascending(V1))
      expect(await namedBy(chain, number)).toEqual(ascending(V1))
    }
    expect(listed(block)).toEqual([])
  })
})

describe('given transactions that change the contract’s set', () => {
  test('when block N is made, then the set is the contract’s after block N - 1', async () => {
    const chain = await openTestChain(byContract(V2, V0))
    await step(chain, [V0, V2], [change(0, 'activate', V1.address)])
    expect(await setOf(chain, 1n)).toEqual(ascending(V0, V2))
    expect(await setOf(chain, 2n)).toEqual(ascending(V0, V1, V2))
    // For block 1, JSON-RPC already returns the set after it.
    expect(await namedBy(chain, 1n)).toEqual(ascending(V0, V1, V2))
    await step(chain, [V1, V0], [change(1, 'deactivate', V0.address)])
    expect(await setOf(chain, 3n)).toEqual(ascending(V1, V2))
    const byRemoved = await nextBlock(chain, [], { coinbase: V1.address }, [V0, V1])
    expect(await brokenRule(chain, byRemoved)).toBe('seal-signer')
    expect(await brokenRule(chain, await nextBlock(chain, [], { coinbase: V1.address }, [V1, V2]))).toBe(
      undefined,
    )
  })

  test('when two changes are in one block, then both count', async () => {
    const chain = await openTestChain(byContract(V0))
    const both = [change(0, 'activate', V3.address), change(1, 'deactivate', V0.address)]
    await step(chain, [V0], both)
    expect(await setOf(chain, 2n)).toEqual(ascending(V3))
    await step(chain, [V3])
  })

  test('when the contract refuses a change, then the last set stays', async () => {
    const chain = await openTestChain(byContract(V0))
    await step(chain, [V0], [change(0, 'deactivate', V0.address), change(1, 'activate', V0.address)])
    const record = await chain.store.record(1n)
    expect(record?.receipts.map(({ status }) => status)).toEqual([false, false])
    expect(await setOf(chain, 2n)).toEqual(ascending(V0))
  })

  test('when another node imports the blocks, then it has the same sets', async () => {
    const maker = await openTestChain(byContract(V2, V0))
    const first = await step(maker, [V0, V2], [change(0, 'activate', V1.address)])
    const second = await step(maker, [V0, V1, V2], [change(1, 'activate', V3.address)])
    const other = await openTestChain(byContract(V2, V0))
    for (const block of [first, second]) expect(await brokenRule(other, block)).toBeUndefined()
    for (const number of [0n, 1n, 2n, 3n])
      expect(await setOf(other, number)).toEqual(await setOf(maker, number))
  })
})

describe('given votes and a contract from block 1 on', () => {
  test('when block 1 is made, then the contract’s two validators make it, and it has no list and no vote', async () => {
    const chain = await openTestChain({
      validators: [V0],
      config: transitions(toContract(1, FIRST)),
      alloc: { [FIRST]: account(V2, V1) },
    })
    expect(await setOf(chain, 0n)).toEqual(ascending(V0))
    const vote = { recipient: OUTSIDER.address, type: 'add' } as const
    const block = await step(chain, [V1, V2], [], { vote })
    const { validators, vote: carried } = decodeExtraData(block.header.extraData)
    expect([validators, carried]).toEqual([[], undefined])
    expect(await namedBy(chain, 0n)).toEqual(ascending(V0))
    expect(await namedBy(chain, 1n)).toEqual(ascending(V1, V2))
  })

  test('given a contract deployed and filled by transactions, when a transition selects it, then it applies', async () => {
    const deploy = transfer(ALICE, 0, {
      to: undefined,
      value: 0n,
      gasLimit: 2_000_000n,
      data: fromHex(compile('Validators').bytecode),
    })
    // The address of the sender's first contract follows from its address and nonce.
    const scratch = await openTestChain()
    await extend(scratch, [deploy])
    const address = toHex((await scratch.store.record(1n))?.receipts[0]?.contractAddress as Address)
    const chain = await openTestChain({ config: transitions(toContract(3, address)) })
    await extend(chain, [deploy, change(1, 'activate', V3.address, address)])
    const last = await extend(chain, [change(2, 'activate', V1.address, address)])
    expect(listed(last)).toEqual(ascending(...VALIDATORS))
    expect(await setOf(chain, 3n)).toEqual(ascending(V1, V3))
    expect(listed(await step(chain, [V3, V1]))).toEqual([])
  })
})

test('given two contracts, when the second is selected at block 1, then it applies', async () => {
  const chain = await openTestChain({
    ...byContract(V0),
    config: transitions(toContract(1, SECOND)),
    alloc: { [FIRST]: account(V0), [SECOND]: account(V3, V1) },
  })
  expect(await setOf(chain, 0n)).toEqual(ascending(V0))
  expect(await setOf(chain, 1n)).toEqual(ascending(V1, V3))
  await step(chain, [V1, V3])
  expect(await namedBy(chain, 0n)).toEqual(ascending(V0))
  expect(await namedBy(chain, 1n)).toEqual(ascending(V1, V3))
})

test('given a contract, when votes are selected at block 1, then blocks list the configured validators, sorted', async () => {
  const chain = await openTestChain({ ...byContract(V3), config: transitions(toVotes(1, V2, V1)) })
  for (const number of [1n, 2n]) {
    expect(listed(await step(chain, [V1, V2]))).toEqual(ascending(V1, V2))
    expect(await namedBy(chain, number)).toEqual(ascending(V1, V2))
  }
})

describe('given votes, a contract at block 1, and votes again at block 2', () => {
  const genesis: TestGenesis = {
    validators: [V0],
    config: transitions(toContract(1, FIRST), toVotes(2, V3, V2)),
    alloc: { [FIRST]: account(V1) },
  }

  test('when blocks are made, then block 1 lists nobody, 2 and 3 list both', async () => {
    const chain = await openTestChain(genesis)
    expect(listed(await step(chain, [V1]))).toEqual([])
    expect(listed(await step(chain, [V2, V3]))).toEqual(ascending(V2, V3))
    expect(listed(await step(chain, [V3, V2]))).toEqual(ascending(V2, V3))
  })

  test('when votes are cast, then they count from block 2 on, and those before the contract are gone', async () => {
    const chain = await openTestChain(genesis)
    await step(chain, [V1])
    expect(await chain.voteTally()).toEqual({ validators: [V2.address, V3.address], votes: [] })
    const vote = { recipient: V0.address, type: 'add' } as const
    await step(chain, [V2, V3], [], { vote })
    await step(chain, [V3, V2], [], { vote })
    expect(await setOf(chain, 4n)).toEqual(ascending(V0, V2, V3))
  })
})

test('given a contract, votes at block 1 and another contract at block 2, when blocks are made, then each applies', async () => {
  const chain = await openTestChain({
    ...byContract(V0),
    config: transitions(toVotes(1, V1), toContract(2, SECOND)),
    alloc: { [FIRST]: account(V0), [SECOND]: account(V3, V2) },
  })
  expect(listed(await step(chain, [V1]))).toEqual(ascending(V1))
  expect(listed(await step(chain, [V2, V3]))).toEqual([])
  expect(await setOf(chain, 2n)).toEqual(ascending(V2, V3))
  expect(await setOf(chain, 3n)).toEqual(ascending(V2, V3))
})

describe('given a contract without a usable list', () => {
  test.each([
    ['is not deployed', { balance: '0x1' }, 'Unexpected empty result from validator smart contract call'],
    ['answers nothing', { balance: '0x0', code: '0x00' }, 'Unexpected empty result'],
    ['answers something else', { balance: '0x0', code: '0x60ff60005260206000f3' }, 'Unexpected result'],
    ['reverts', { balance: '0x0', code: '0x60006000fd' }, 'Failed validator smart contract call'],
    ['runs out of gas', { balance: '0x0', code: '0x5b600056' }, 'Failed validator smart contract call'],
  ])('when it is %s, then no block can be made, verified or imported', async (_, broken, text) => {
    const maker = await openTestChain(byContract(V0))
    const block = await nextBlock(maker, [], {}, [V0])
    // The genesis hash differs, and validators are only needed for a block that follows its parent.
    const chain = await openTestChain({ ...byContract(V0), alloc: { [FIRST]: broken } })
    const own = { ...block, header: { ...block.header, parentHash: chain.head().hash } }
    const nowMs = Number(block.header.timestamp) * 1000
    for (const attempt of [
      build(chain),
      chain.verifyBlock(own, { nowMs }),
      chain.importBlock(own, { nowMs }),
      chain.validators(1n),
    ]) {
      const failure = await failureOf(attempt)
      expect(failure).toBeInstanceOf(ValidatorContractError)
      expect((failure as ValidatorContractError).message).toContain(text)
    }
    expect(chain.head().header.number).toBe(0n)
  })

  test('when the list is empty, then nobody can make a block', async () => {
    const chain = await openTestChain(byContract())
    expect(await setOf(chain, 1n)).toEqual([])
    expect(await failureOf(build(chain))).toMatchObject({ rule: 'coinbase-validator' })
  })
})

describe('given a network with GoQuorum, whose transitions select the validators of the next block', () => {
  const file: TestGenesis = {
    fork: 'berlin',
    config: { isQuorum: true, ...transitions(toContract(2, FIRST), toVotes(4, V2, V3)) },
    alloc: { [FIRST]: account(V0, V1) },
  }

  test('when blocks pass both transitions, then each lists and obeys the validators as GoQuorum does', async () => {
    const chain = await openTestChain(file)
    const blocks = [
      await step(chain, VALIDATORS),
      await step(chain, VALIDATORS),
      await step(chain, [V0, V1]),
      await step(chain, [V0, V1]),
      await step(chain, [V2, V3]),
    ]
    const all = ascending(...VALIDATORS)
    expect(blocks.map(listed)).toEqual([all, all, [], [], ascending(V2, V3)])
    const other = await openTestChain(file)
    for (const block of blocks) expect(await brokenRule(other, block)).toBeUndefined()
  })

  test('when the file has no isQuorum, then the same blocks are refused at the first transition', async () => {
    const chain = await openTestChain(file)
    const blocks = [await step(chain, VALIDATORS), await step(chain, VALIDATORS)]
    const other = await openTestChain({ ...file, config: { ...file.config, isQuorum: false } })
    const refusals = [
      await brokenRule(other, blocks[0] as Block),
      await brokenRule(other, blocks[1] as Block),
    ]
    expect(refusals).toEqual([undefined, 'validators'])
  })
})
