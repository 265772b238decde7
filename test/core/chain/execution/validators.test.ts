import { describe, expect, test } from 'bun:test'
import type { Address } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { decodeExtraData, encodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { ValidatorContractError } from '../../../../core/validators/validatorContract.ts'
import {
  brokenRule,
  build,
  extend,
  importNow,
  nextBlock,
  openTestChain,
  resealed,
  type TestGenesis,
  transfer,
  failureOf,
} from '../support/chain.ts'
import { type Key, OUTSIDER, USERS, VALIDATORS } from '../support/keys.ts'
import { memoryStore } from '../support/memory.ts'
import { contractAccount, storeCall, storeCountCall } from '../support/validatorContract.ts'

const [V0, V1, V2, V3] = VALIDATORS
const CONTRACT = '0x0000000000000000000000000000000000008888'
const OTHER_CONTRACT = '0x0000000000000000000000000000000000009999'

const addressesOf = (keys: readonly Key[]): string[] => keys.map(({ address }) => toHex(address)).toSorted()

const setOf = async (chain: Chain, number: bigint): Promise<readonly string[]> =>
  (await chain.validators(number)).map(toHex)

const vote = (chain: Chain, voter: Key, recipient: Address, type: 'add' | 'drop', keys?: readonly Key[]) =>
  extend(chain, [], { coinbase: voter.address, vote: { recipient, type } }, keys)

describe('given validators by votes', () => {
  test('when a vote reaches the majority in block N, then it applies to block N + 1', async () => {
    const chain = await openTestChain()
    await vote(chain, V0, OUTSIDER.address, 'add')
    await vote(chain, V1, OUTSIDER.address, 'add')
    expect(await setOf(chain, 3n)).toEqual(addressesOf(VALIDATORS))
    const third = await vote(chain, V2, OUTSIDER.address, 'add')
    expect(decodeExtraData(third.header.extraData).validators).toHaveLength(4)
    expect(await setOf(chain, 4n)).toEqual(addressesOf([...VALIDATORS, OUTSIDER]))
    const fourth = await extend(chain, [], { coinbase: OUTSIDER.address }, [...VALIDATORS, OUTSIDER])
    expect(decodeExtraData(fourth.header.extraData).validators).toHaveLength(5)
  })

  test('when a validator is dropped, then it makes and seals no more blocks', async () => {
    const chain = await openTestChain()
    for (const voter of [V0, V1, V2]) await vote(chain, voter, V3.address, 'drop')
    expect(await setOf(chain, 4n)).toEqual(addressesOf([V0, V1, V2]))
    expect(await brokenRule(chain, await nextBlock(chain))).toBe('seal-signer')
    const block = await nextBlock(chain, [], {}, [V0, V1, V2])
    expect(await brokenRule(chain, resealed(block, { coinbase: V3.address }, [V0, V1, V2]))).toBe(
      'coinbase-validator',
    )
    expect(await brokenRule(chain, block)).toBeUndefined()
  })

  test('when an epoch block comes, then earlier votes and its own are cleared', async () => {
    const chain = await openTestChain({ qbft: { epochlength: 3 } })
    await vote(chain, V0, OUTSIDER.address, 'add')
    await vote(chain, V1, OUTSIDER.address, 'add')
    await vote(chain, V2, OUTSIDER.address, 'add')
    expect(await setOf(chain, 4n)).toEqual(addressesOf(VALIDATORS))
    await vote(chain, V3, OUTSIDER.address, 'add')
    await vote(chain, V0, OUTSIDER.address, 'add')
    expect(await setOf(chain, 6n)).toEqual(addressesOf(VALIDATORS))
  })

  test('when a chain is opened again, then it counts the votes of its headers', async () => {
    const kv = memoryStore()
    const before = await openTestChain({}, kv)
    await vote(before, V0, OUTSIDER.address, 'add')
    await extend(before)
    await vote(before, V1, OUTSIDER.address, 'add')
    await before.store.close()
    const chain = await openTestChain({}, kv)
    expect(await setOf(chain, 4n)).toEqual(addressesOf(VALIDATORS))
    await vote(chain, V2, OUTSIDER.address, 'add')
    expect(await setOf(chain, 5n)).toEqual(addressesOf([...VALIDATORS, OUTSIDER]))
    // When requested again, every earlier set is the same.
    expect(await setOf(chain, 0n)).toEqual(addressesOf(VALIDATORS))
    expect(await setOf(chain, 3n)).toEqual(addressesOf(VALIDATORS))
  })

  test('when genesis validators are in any order, then block 1 lists them ascending', async () => {
    const chain = await openTestChain({ validators: [V3, V1, V0, V2] })
    expect(await setOf(chain, 0n)).toEqual(addressesOf(VALIDATORS))
    const block = await extend(chain)
    expect(decodeExtraData(block.header.extraData).validators.map(toHex)).toEqual(addressesOf(VALIDATORS))
  })

  test('when the height is above head + 1, then the set is unknown', async () => {
    const chain = await openTestChain()
    expect(await failureOf(chain.validators(2n))).toMatchObject({ code: 'NO_SUCH_BLOCK' })
  })
})

const contractGenesis = (validators: readonly Key[], more: TestGenesis = {}): TestGenesis => ({
  ...more,
  validators: [],
  qbft: { validatorcontractaddress: CONTRACT, ...more.qbft },
  alloc: { [CONTRACT]: contractAccount(validators), ...more.alloc },
})

const transitions = (...qbft: readonly object[]) => ({ transitions: { qbft } })

describe('given validators by contract', () => {
  test('when block N is made, then its set is the contract’s after block N - 1, and blocks list nobody', async () => {
    const chain = await openTestChain(contractGenesis([V2, V0]))
    expect(await setOf(chain, 0n)).toEqual(addressesOf([V0, V2]))
    const add = (nonce: number, data: Uint8Array) =>
      transfer(USERS[0], nonce, {
        to: Uint8Array.of(...new Uint8Array(18), 0x88, 0x88),
        value: 0n,
        data,
        gasLimit: 100_000n,
      })
    const first = await extend(chain, [add(0, storeCall(3, V1.address)), add(1, storeCountCall(3))], {}, [
      V0,
      V2,
    ])
    const extra = decodeExtraData(first.header.extraData)
    expect(extra.validators).toEqual([])
    expect(extra.vote).toBeUndefined()
    expect(await setOf(chain, 1n)).toEqual(addressesOf([V0, V2]))
    expect(await setOf(chain, 2n)).toEqual(addressesOf([V0, V1, V2]))
    expect(await brokenRule(chain, await nextBlock(chain, [], {}, [V0, V1, V2]))).toBeUndefined()
  })

  test('when a block lists a validator, or votes, then it is refused', async () => {
    const chain = await openTestChain(contractGenesis([V0]))
    const block = await nextBlock(chain, [], {}, [V0])
    const extra = decodeExtraData(block.header.extraData)
    const listing = encodeExtraData({ ...extra, validators: [V0.address] })
    expect(await brokenRule(chain, resealed(block, { extraData: listing }, [V0]))).toBe('validators')
    const voting = encodeExtraData({ ...extra, vote: { recipient: V1.address, type: 'add' } })
    expect(await brokenRule(chain, resealed(block, { extraData: voting }, [V0]))).toBe(
      'vote-in-contract-mode',
    )
  })

  test('when the contract does not exist, then the chain stops with the reason', async () => {
    const chain = await openTestChain({
      validators: [],
      qbft: { validatorcontractaddress: OTHER_CONTRACT },
    })
    const refused = build(chain)
    expect(await failureOf(refused)).toBeInstanceOf(ValidatorContractError)
    expect(await failureOf(refused)).toHaveProperty(
      'message',
      expect.stringContaining('Unexpected empty result from validator smart contract call'),
    )
  })
})

describe('given transitions between both', () => {
  test('when a transition has a list of validators, then it replaces the set at exactly its block', async () => {
    const config = transitions({
      block: 2,
      validators: [toHex(V1.address), toHex(V0.address)],
      validatorselectionmode: 'blockheader',
    })
    const chain = await openTestChain({ config })
    await extend(chain)
    const second = await extend(chain, [], {}, [V0, V1])
    expect(decodeExtraData(second.header.extraData).validators.map(toHex)).toEqual(addressesOf([V0, V1]))
    expect(await setOf(chain, 3n)).toEqual(addressesOf([V0, V1]))
  })

  test('when it goes from votes to a contract, then the block before is the last with a list', async () => {
    const chain = await openTestChain({
      config: transitions({
        block: 2,
        validatorselectionmode: 'contract',
        validatorcontractaddress: CONTRACT,
      }),
      alloc: { [CONTRACT]: contractAccount([V1]) },
    })
    const first = await extend(chain)
    expect(decodeExtraData(first.header.extraData).validators).toHaveLength(4)
    const second = await nextBlock(chain, [], { coinbase: V1.address }, [V1])
    expect(decodeExtraData(second.header.extraData).validators).toEqual([])
    expect(await importNow(chain, second)).toBe('imported')
  })

  test('when it goes from a contract to votes and to another contract, then each applies at its block', async () => {
    const chain = await openTestChain(
      contractGenesis([V0, V1], {
        config: transitions(
          { block: 1, validatorselectionmode: 'blockheader', validators: [toHex(V1.address)] },
          { block: 3, validatorselectionmode: 'contract', validatorcontractaddress: OTHER_CONTRACT },
        ),
        alloc: { [OTHER_CONTRACT]: contractAccount([V3, V2]) },
      }),
    )
    expect(await setOf(chain, 1n)).toEqual(addressesOf([V1]))
    await extend(chain, [], { coinbase: V1.address }, [V1])
    await vote(chain, V1, V2.address, 'add', [V1])
    expect(await setOf(chain, 3n)).toEqual(addressesOf([V2, V3]))
    await extend(chain, [], { coinbase: V2.address }, [V2, V3])
    expect(await setOf(chain, 4n)).toEqual(addressesOf([V2, V3]))
  })
})
