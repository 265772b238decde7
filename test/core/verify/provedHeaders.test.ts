import { describe, expect, test } from 'bun:test'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { Header } from '../../../core/block/header.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import { NotProved } from '../../../core/verify/notProved.ts'
import { createProvedHeaders } from '../../../core/verify/provedHeaders.ts'
import { createHeadTrust } from '../../../runtime/read/headTrust.ts'
import type { TrustedBlockOption } from '../../../runtime/read/options.ts'
import { consensus, headerOn, sealedChain } from '../../support/chains/sealedChain.ts'
import { rejection } from '../../support/rejection.ts'

/** Its validators change after blocks 7 and 27. */
const chain = sealedChain(60)
const HEAD = 59
const at = (number: number): Header => chain[number] as Header
const headOf = (header: Header): ChainHead => ({
  header,
  hash: qbftBlockHash(header),
  totalDifficulty: header.number + 1n,
})

/** The headers of a store, proved from its head, and how many were read of it. */
const openHeaders = async (
  stored: readonly (Header | undefined)[] = chain,
  checkpoint?: TrustedBlockOption,
) => {
  if (consensus.kind !== 'qbft') throw new Error('the chain is not QBFT')
  let reads = 0
  const read = async (numbers: readonly number[]) => {
    reads += numbers.length
    return numbers.map(number => stored[number])
  }
  const genesis = headOf(at(0))
  const trust = createHeadTrust(
    {
      consensus,
      read: async numbers => numbers.map(number => chain[number]),
      callContract: () => Promise.reject(new Error('no contract')),
    },
    genesis,
    checkpoint,
  )
  await trust.verify(headOf(at(HEAD)))
  const headers = createProvedHeaders({
    genesis,
    read,
    head: at(HEAD),
    validators: trust.trusted()?.validators ?? [],
    isGoverned: trust.isGoverned,
    known: new Map(),
    anchors: new Map(),
  })
  return { headers, reads: () => reads }
}

describe('the headers of a chain whose validators have changed, proved from its head', () => {
  test.each([1, 7, 8, 20, 27, 28, 40])(
    'given block %i, then its seals prove it, and no header up to the head is read',
    async number => {
      const { headers, reads } = await openHeaders()
      expect(await headers.header(BigInt(number))).toBe(at(number))
      expect(reads()).toBe(1)
    },
  )

  test('given a checkpoint after a change, then the blocks before it are proved by their descendants', async () => {
    const { headers, reads } = await openHeaders(chain, { number: 30n, hash: qbftBlockHash(at(30)) })
    expect(await headers.header(20n)).toBe(at(20))
    expect(reads()).toBeGreaterThan(HEAD - 20 - 1)
    expect(await headers.header(35n)).toBe(at(35))
  })

  test.each([
    ['earlier validators', [0, 1, 2, 3]],
    ['strangers', [6, 7, 8, 9]],
  ])('given a block of the middle that %s seal, then it is refused', async (_, validators) => {
    const forged = headerOn({ ...at(14), gasUsed: 1n }, { validators, proposer: validators[0] as number })
    const { headers } = await openHeaders(chain.with(15, forged))
    expect(await rejection(headers.header(15n))).toBeInstanceOf(NotProved)
  })
})
