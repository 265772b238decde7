import { describe, expect, test } from 'bun:test'
import { ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { qbftBlockHash } from '../../../core/block/codec/blockHash.ts'
import type { Header } from '../../../core/block/header.ts'
import { encodeReplicaHead } from '../../../core/store/replica/replicaHead.ts'
import type { ChainHead } from '../../../core/store/store.ts'
import { NotProved } from '../../../core/verify/notProved.ts'
import { createHeadFollower } from '../../../runtime/read/headFollower.ts'
import { createHeadTrust } from '../../../runtime/read/headTrust.ts'
import { consensus, sealedChain } from '../../support/chains/sealedChain.ts'
import { rejection } from '../../support/rejection.ts'
import { until } from '../../support/until.ts'

const chain = sealedChain(40)

const headOf = (number: number): ChainHead => {
  const header = chain[number] as Header
  return { header, hash: qbftBlockHash(header), totalDifficulty: BigInt(number) + 1n }
}
const storedHead = (number: number): Uint8Array =>
  encodeReplicaHead({
    contents: 'chain',
    sequence: number + 1,
    writer: new Uint8Array(16),
    genesisHash: headOf(0).hash,
    logSections: 0,
    head: headOf(number),
  })

/** A follower as in a Worker, whose reads and proofs end when the test says so. */
const openFollower = () => {
  const reads: ((number: number) => void)[] = []
  const proofs = new Map<number, () => void>()
  const follower = createHeadFollower({
    kv: { get: () => new Promise(resolve => reads.push(number => resolve(storedHead(number)))) },
    genesis: headOf(0),
    verify: ({ header }) => new Promise(resolve => proofs.set(Number(header.number), resolve)),
    ttlMs: 0,
    sharesReads: false,
    nowMs: () => 0,
  })
  const number = (): number => Number(follower.current()?.head.header.number ?? -1n)
  const prove = async (which: number): Promise<void> => {
    const end = await until(() => proofs.get(which), { what: `the proof of block ${which}` })
    end()
  }
  return { follower, reads, prove, number }
}

describe('requests that read the head at the same time', () => {
  test('given an earlier head that is proved last, then the head does not go back', async () => {
    const { follower, reads, prove, number } = openFollower()
    const [first, second] = [follower.refresh(), follower.refresh()]
    reads[0]?.(5)
    reads[1]?.(6)
    await prove(6)
    await second
    expect(number()).toBe(6)
    await prove(5)
    await first
    expect([number(), follower.reason()]).toEqual([6, undefined])
  })

  test('given an earlier head that arrives last, then it is no store that went back', async () => {
    const { follower, reads, prove, number } = openFollower()
    const [first, second] = [follower.refresh(), follower.refresh()]
    reads[1]?.(6)
    await prove(6)
    await second
    reads[0]?.(5)
    await first
    expect([number(), follower.reason()]).toEqual([6, undefined])
  })

  test('given a read that begins later and finds an earlier head, then the head stays and the reason is told', async () => {
    const { follower, reads, prove, number } = openFollower()
    const first = follower.refresh()
    reads[0]?.(6)
    await prove(6)
    await first
    const second = follower.refresh()
    reads[1]?.(5)
    await second
    expect(number()).toBe(6)
    expect(follower.reason()).toContain('it has block 5 as its head, and had block 6 before')
  })
})

describe('the heads that a reader proves', () => {
  const openTrust = () => {
    if (consensus.kind !== 'qbft') throw new Error('the chain is not QBFT')
    const read = async (numbers: readonly number[]) => numbers.map(number => chain[number])
    const callContract = () => Promise.reject(new Error('no contract'))
    const genesis: ChainHead = { header: chain[0] as Header, hash: ZERO_HASH, totalDifficulty: 1n }
    return createHeadTrust({ consensus, read, callContract }, genesis, undefined)
  }

  test('given a later head that was proved before and not used, then an earlier one is proved from the start', async () => {
    const { verify, trusted } = openTrust()
    await verify(headOf(30))
    await verify(headOf(12))
    expect(trusted()?.header.number).toBe(30n)
    await verify(headOf(31))
    expect(trusted()?.header.number).toBe(31n)
  })

  test('given heads that are proved at the same time, then the trusted block is the last of them', async () => {
    const { verify, trusted } = openTrust()
    await Promise.all([35, 9, 20].map(number => verify(headOf(number))))
    expect(trusted()?.header.number).toBe(35n)
  })

  test('given a head whose stored hash is another one, then it is refused and nothing is trusted by it', async () => {
    const { verify, trusted } = openTrust()
    await verify(headOf(4))
    expect(await rejection(verify({ ...headOf(8), hash: ZERO_HASH }))).toBeInstanceOf(NotProved)
    expect(trusted()?.header.number).toBe(4n)
  })
})
