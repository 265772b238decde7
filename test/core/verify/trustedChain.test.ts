import { describe, expect, test } from 'bun:test'
import { type Address, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { Header } from '../../../core/block/header.ts'
import { addressOf, byAddress, consensus, headerOn, sealedChain } from '../../support/chains/sealedChain.ts'
import { NotProved, trustCheckpoint, trustGenesis, trustHeader } from '../../../core/verify/index.ts'
import { rejection } from '../../support/rejection.ts'

const chain = sealedChain(60)

const optionsOf = (headers: readonly (Header | undefined)[] = chain) => {
  if (consensus.kind !== 'qbft') throw new Error('the chain is not QBFT')
  let reads = 0
  return {
    consensus,
    read: async (numbers: readonly number[]) => {
      reads += numbers.length
      return numbers.map(number => headers[number])
    },
    callContract: () => Promise.reject(new Error('no contract')),
    reads: () => reads,
  }
}
const at = (number: number): Header => chain[number] as Header
const names = (validators: readonly Address[]): readonly Address[] => validators
const setOf = (indexes: readonly number[]): readonly Address[] => byAddress(indexes).map(addressOf)

describe('the validators of a chain, followed from its genesis block', () => {
  test('given a head before any change, then it is proved without another header', async () => {
    const options = optionsOf()
    const trusted = await trustHeader(options, await trustGenesis(options, at(0)), at(4))
    expect(names(trusted.validators)).toEqual(setOf([0, 1, 2, 3]))
    expect(options.reads()).toBe(0)
  })

  test.each([8, 20, 27, 28, 59])('given head %i after votes, then the changes are followed', async number => {
    const options = optionsOf()
    const trusted = await trustHeader(options, await trustGenesis(options, at(0)), at(number))
    expect(names(trusted.validators)).toEqual(setOf(number < 28 ? [0, 1, 2, 3, 4] : [1, 2, 3, 4]))
  })

  test('given each head in turn, then all are proved', async () => {
    const options = optionsOf()
    let trusted = await trustGenesis(options, at(0))
    for (const header of chain.slice(1)) trusted = await trustHeader(options, trusted, header)
    expect(trusted.header).toBe(at(59))
  })

  test('given a checkpoint between the changes, then only later ones are followed', async () => {
    const options = optionsOf()
    const trusted = await trustCheckpoint(options, 15n, qbftBlockHash(at(15)))
    expect((await trustHeader(options, trusted, at(59))).header).toBe(at(59))
    expect(await rejection(trustCheckpoint(options, 15n, ZERO_HASH))).toBeInstanceOf(NotProved)
  })
})

describe('a head that the followed validators did not decide', () => {
  const refused = async (
    header: Header,
    headers: readonly (Header | undefined)[] = chain,
  ): Promise<unknown> => {
    const options = optionsOf(headers)
    return rejection(trustHeader(options, await trustGenesis(options, at(0)), header))
  }

  test('given too few seals, a seal of another, or one twice, then it is refused', async () => {
    const step = { validators: [0, 1, 2, 3], proposer: 1 }
    expect(String(await refused(headerOn(at(3), { ...step, sealers: [0, 1] })))).toContain('seal-quorum')
    expect(String(await refused(headerOn(at(3), { ...step, sealers: [0, 1, 9] })))).toContain('seal-signer')
    expect(String(await refused(headerOn(at(3), { ...step, sealers: [0, 1, 1] })))).toContain(
      'seal-duplicate',
    )
  })

  test('given validators that nobody voted for, then they are refused, with their seals', async () => {
    const forged = chain.slice(0, 5)
    for (let number = 5; number < 12; number++)
      forged.push(headerOn(forged.at(-1), { validators: [6, 7, 8, 9], proposer: 6 }))
    expect(await refused(forged.at(-1) as Header, forged)).toBeInstanceOf(NotProved)
  })

  test('given votes that are forged in old headers, then the seals of a later one do not fit', async () => {
    const forged: Header[] = chain.slice(0, 5)
    for (let number = 5; number < 8; number++)
      forged.push(
        headerOn(forged.at(-1), {
          validators: [0, 1, 2, 3],
          proposer: number % 4,
          vote: { recipient: addressOf(9), type: 'add' },
          sealers: [9],
        }),
      )
    for (let number = 8; number < 12; number++)
      forged.push(headerOn(forged.at(-1), { validators: [0, 1, 2, 3, 9], proposer: 9, sealers: [9] }))
    expect(await refused(forged.at(-1) as Header, forged)).toBeInstanceOf(Error)
  })

  test('given a store that hides the headers of the change, then the head is refused', async () => {
    const holes = chain.map((header, number) => (number > 4 && number < 12 ? undefined : header))
    expect(await refused(at(30), holes)).toBeInstanceOf(NotProved)
  })

  test('given a validator that was dropped, then its seals do not count', async () => {
    const header = headerOn(at(39), { validators: [1, 2, 3, 4], proposer: 1, sealers: [0, 1, 2] })
    const options = optionsOf()
    const trusted = await trustHeader(options, await trustGenesis(options, at(0)), at(38))
    expect(String(await rejection(trustHeader(options, trusted, header)))).toContain('seal-signer')
  })
})
