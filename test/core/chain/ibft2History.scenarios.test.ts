import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { encodeExtraData, decodeExtraData } from '../../../core/block/codec/extraData.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { brokenRule, extend, failureOf, nextBlock, openTestChain, transfer } from './support/chain.ts'
import {
  extendIbft2,
  ibft2Block,
  type Ibft2Chain,
  type Ibft2Content,
  ibft2Genesis,
  ibft2Hash,
  openIbft2Chain,
} from './support/ibft2.ts'
import { type Key, OUTSIDER, USERS, VALIDATORS } from './support/keys.ts'
import { memoryStore } from './support/memory.ts'

const START = 5
const [V0, V1, V2, V3] = VALIDATORS

const extendPlain = async (both: Ibft2Chain, count: number): Promise<void> => {
  for (let block = 0; block < count; block++) await extendIbft2(both)
}

/** Blocks of these proposers in turn, each with the vote. */
const vote = async (
  both: Ibft2Chain,
  content: Pick<Ibft2Content, 'vote'>,
  proposers: readonly Key[],
): Promise<void> => {
  for (const { address } of proposers) await extendIbft2(both, { ...content, header: { coinbase: address } })
}

const governing = async (chain: Chain, number: number): Promise<string[]> =>
  (await chain.validators(BigInt(number))).map(toHex)

const names = (keys: readonly Key[]): string[] => keys.map(({ address }) => toHex(address))

describe('given a chain that moves from IBFT 2.0 to QBFT at block 5', () => {
  test('when its blocks are imported, then QBFT goes on with the validators of the last one', async () => {
    const kv = memoryStore()
    const both = await openIbft2Chain(START, {}, kv)
    const { chain } = both
    for (let number = 1; number < START; number++) {
      const { header } = await extendIbft2(both, { round: number - 1 }, [transfer(USERS[0], number - 1)])
      expect(chain.head().hash).toEqual(ibft2Hash(header))
    }
    for (let more = 0; more < 3; more++) await extend(chain, [transfer(USERS[0], START - 1 + more)])
    expect(chain.head().header.number).toBe(7n)
    const again = await openTestChain(ibft2Genesis(START), kv)
    expect(again.head().hash).toEqual(chain.head().hash)
    expect(await governing(again, 8)).toEqual(names(VALIDATORS))
  })

  test('when validators vote under IBFT 2.0, then votes count within its epochs, and QBFT begins with none', async () => {
    const both = await openIbft2Chain(7)
    const drop: Pick<Ibft2Content, 'vote'> = { vote: [V3, 'drop'] }
    await vote(both, {}, [V0])
    // Block 4 ends the epoch.
    await vote(both, drop, [V0, V1, V2])
    expect(await governing(both.chain, 5)).toEqual(names(VALIDATORS))
    await vote(both, drop, [V2, V0])
    await extend(both.chain, [], { coinbase: V1.address, vote: { recipient: V3.address, type: 'drop' } })
    expect(await governing(both.chain, 8)).toEqual(names(VALIDATORS))
  })

  test('when three of four vote one out under IBFT 2.0, then three go on, under QBFT too', async () => {
    const both = await openIbft2Chain(9)
    await extendPlain(both, 4)
    await vote(both, { vote: [V3, 'drop'] }, [V0, V1, V2])
    expect(await brokenRule(both.chain, await ibft2Block(both))).toBe('validators')
    await extendIbft2(both, { validators: [V0, V1, V2], sealedBy: [V0, V1, V2] })
    expect(await brokenRule(both.chain, await nextBlock(both.chain, [], {}, [V0, V1, V2]))).toBeUndefined()
    expect(await governing(both.chain, 10)).toEqual(names([V0, V1, V2]))
  })

  test('when a transition of either mechanism comes, then each rules its own blocks', async () => {
    const both = await openIbft2Chain(START, {
      ibft2: [
        { block: 2, blockreward: '7', miningbeneficiary: toHex(OUTSIDER.address) },
        { block: 6, blockreward: '1000' },
      ],
      qbft: [
        { block: 3, blockreward: '20', miningbeneficiary: toHex(OUTSIDER.address) },
        { block: 7, blockreward: '3' },
      ],
    })
    const paid: (bigint | undefined)[] = []
    for (let number = 1; number <= 7; number++) {
      await (number < START ? extendIbft2(both) : extend(both.chain))
      paid.push(both.chain.store.stateAt(BigInt(number)).account(OUTSIDER.address)?.balance)
    }
    expect(paid).toEqual([undefined, 7n, 14n, 21n, 41n, 61n, 64n])
  })

  test('when a block is not as IBFT 2.0 has it, then the rule is named', async () => {
    const both = await openIbft2Chain(START)
    const { chain } = both
    await extendPlain(both, 1)
    const broken = async (content?: Ibft2Content, transactions?: readonly RecoveredTransaction[]) =>
      brokenRule(chain, await ibft2Block(both, content, transactions))
    expect(await broken({ header: { nonce: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1) } })).toBe('nonce')
    expect(await broken({ sealedBy: [V0, V1] })).toBe('seal-quorum')
    expect(await broken({ sealedBy: [V0, V1, OUTSIDER] })).toBe('seal-signer')
    expect(await broken({ sealedBy: [V0, V1, V1] })).toBe('seal-duplicate')
    expect(await broken({ validators: [V0, V1, V2] })).toBe('validators')
    expect(await broken({ header: { coinbase: OUTSIDER.address } })).toBe('coinbase-validator')
    expect(await broken({ header: { mixHash: new Uint8Array(32) } })).toBe('mix-hash')
    const { header, ...body } = await ibft2Block(both, { round: 1 })
    const { seals } = decodeExtraData(header.extraData)
    const other = { ...decodeExtraData(header.extraData), round: 2, seals }
    expect(
      await brokenRule(chain, { ...body, header: { ...header, extraData: encodeExtraData(other) } }),
    ).toBe('seal-signer')
    const { encoding: _, ...qbft } = decodeExtraData(header.extraData)
    expect(
      await brokenRule(chain, { ...body, header: { ...header, extraData: encodeExtraData(qbft) } }),
    ).toBe('extra-data-encoding')
    expect(await brokenRule(chain, { ...body, header })).toBeUndefined()
  })

  test('when the first block of QBFT is sealed as one of IBFT 2.0, then it is refused', async () => {
    const both = await openIbft2Chain(START)
    await extendPlain(both, START - 1)
    expect(await brokenRule(both.chain, await ibft2Block(both))).toBe('extra-data-encoding')
    expect(await brokenRule(both.chain, await nextBlock(both.chain))).toBeUndefined()
  })

  test('when a block of IBFT 2.0 is to be built, then it is refused', async () => {
    const { chain } = await openIbft2Chain(START)
    expect(await failureOf(nextBlock(chain))).toMatchObject({ rule: 'extra-data-encoding' })
  })
})
