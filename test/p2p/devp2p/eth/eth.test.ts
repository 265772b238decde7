import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { fromHex, toBareHex } from '../../../../core/bytes/hex.ts'
import { encodeRlp, RlpError } from '../../../../core/rlp/rlp.ts'
import { OFFERED_CAPABILITIES } from '../../../../p2p/devp2p/base/capabilities.ts'
import { decodeDisconnect } from '../../../../p2p/devp2p/base/disconnect.ts'
import { decodeHello, encodeHello } from '../../../../p2p/devp2p/base/hello.ts'
import { decodeBlockRange, encodeBlockRange } from '../../../../p2p/devp2p/eth/blockRange.ts'
import {
  decodeAnnouncements,
  decodeNewBlock,
  encodeNewBlock,
  splitBlock,
} from '../../../../p2p/devp2p/eth/blocks.ts'
import { forkIdAt, forkIdMismatch } from '../../../../p2p/devp2p/eth/forkId.ts'
import { receiptsWithoutBloom } from '../../../../p2p/devp2p/eth/receipts.ts'
import {
  decodeHashes,
  decodeHeadersQuery,
  encodeHeadersQuery,
  openWithId,
} from '../../../../p2p/devp2p/eth/requests.ts'
import { decodeNeighbours, encodeNeighbours } from '../../../../p2p/devp2p/node/neighbours.ts'
import { decodeStatus, encodeStatus } from '../../../../p2p/devp2p/eth/status.ts'
import {
  decodeTransactionAnnouncements,
  decodeTransactions,
  encodeTransactionAnnouncements,
  encodeTransactions,
} from '../../../../p2p/devp2p/eth/transactions.ts'
import { seededRandom } from '../../../support/random.ts'
import { sampleBlocks } from '../sampleBlocks.ts'

/** Ethereum's main network, whose fork ids EIP-2124 lists. */
const MAINNET = fromHex('d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
const BLOCK_FORKS = [1_150_000n, 1_920_000n, 2_463_000n, 2_675_000n, 4_370_000n, 7_280_000n, 9_069_000n]
const FORKS = { blocks: BLOCK_FORKS, times: [] }
const at = (number: bigint) => ({ number, timestamp: 0n })

describe('given a fork id', () => {
  test.each([
    [0n, 'fc64ec04', 1_150_000n],
    [1_149_999n, 'fc64ec04', 1_150_000n],
    [1_150_000n, '97c2c34c', 1_920_000n],
    [1_920_000n, '91d1f948', 2_463_000n],
    [2_463_000n, '7a64da13', 2_675_000n],
    [2_675_000n, '3edd5b10', 4_370_000n],
    [4_370_000n, 'a00bc324', 7_280_000n],
    [7_280_000n, '668db0af', 9_069_000n],
    [9_069_000n, '879d6e30', 0n],
  ] as const)(
    'when it is block %d of the main network, then the published one is computed',
    (number, hash, next) => {
      const id = forkIdAt(MAINNET, FORKS, at(number))
      expect({ hash: toBareHex(id.hash), next: id.next }).toEqual({ hash, next })
    },
  )

  const mismatch = (own: bigint, hash: string, next: bigint) =>
    forkIdMismatch(MAINNET, FORKS, at(own), { hash: fromHex(hash), next })

  test('when a node is at the same fork, behind or ahead, then it is of this chain', () => {
    expect(mismatch(7_987_396n, '668db0af', 0n)).toBeUndefined()
    expect(mismatch(7_987_396n, '668db0af', 9_069_000n)).toBeUndefined()
    expect(mismatch(7_987_396n, 'a00bc324', 7_280_000n)).toBeUndefined()
    expect(mismatch(7_279_999n, '668db0af', 0n)).toBeUndefined()
  })

  test('when a node missed a fork, or knows others, then it is not', () => {
    expect(mismatch(7_987_396n, 'a00bc324', 0n)).toBeDefined()
    expect(mismatch(7_987_396n, '5cddc0e1', 0n)).toBeDefined()
    expect(mismatch(7_987_396n, '668db0af', 7_500_000n)).toBeDefined()
  })

  test('when no fork follows the genesis block, then any is accepted: comparing the genesis hash is enough', () => {
    const remote = { hash: fromHex('01020304'), next: 5n }
    expect(forkIdMismatch(MAINNET, { blocks: [], times: [] }, at(9n), remote)).toBeUndefined()
  })
})

describe('given codecs', () => {
  const blocks = sampleBlocks(4)
  const block = blocks[2]?.block as Uint8Array
  const hashes = blocks.map(({ hash }) => hash)
  const legacy = encodeRlp([1, 2, 3])
  const typed = fromHex('02c3010203')
  const status = {
    version: 68,
    networkId: 1337n,
    genesisHash: hashes[0] as Uint8Array,
    forkId: { hash: fromHex('01020304'), next: 7n },
    head: { hash: hashes[1] as Uint8Array, totalDifficulty: 12_345n },
  }
  const statusOfRange = (earliest: bigint, latest: bigint) => ({
    ...status,
    version: 69,
    head: { hash: hashes[1] as Uint8Array, range: { earliest, latest } },
  })

  test('when a status is written, then it reads back', () => {
    expect(decodeStatus(68, encodeStatus(status))).toEqual(status)
    expect(decodeStatus(69, encodeStatus(statusOfRange(3n, 700n)))).toEqual(statusOfRange(3n, 700n))
  })

  test('when a range of blocks is written, then it reads back, and one that ends before it begins is refused', () => {
    const range = { earliest: 0n, latest: 9n, latestHash: hashes[2] as Uint8Array }
    expect(decodeBlockRange(encodeBlockRange(range))).toEqual(range)
    expect(() => decodeBlockRange(encodeBlockRange({ ...range, earliest: 10n }))).toThrow(RlpError)
    expect(() => decodeStatus(69, encodeStatus(statusOfRange(2n, 1n)))).toThrow(RlpError)
  })

  test('when receipts are served over eth/69, then they have their type, and no bloom', () => {
    const bloom = new Uint8Array(256)
    const logs = [[new Uint8Array(20), [hashes[0] as Uint8Array], Uint8Array.of(7)]]
    const typedReceipt = concatBytes(Uint8Array.of(2), encodeRlp([0, 42_000, bloom, []]))
    const receipts = encodeRlp([[1, 21_000, bloom, logs], typedReceipt])
    expect(receiptsWithoutBloom(receipts)).toEqual(
      encodeRlp([
        [0, 1, 21_000, logs],
        [2, 0, 42_000, []],
      ]),
    )
  })

  test('when queries for headers are written, then numbers and hashes read back', () => {
    const byNumber = { start: { number: 0n }, count: 3, skip: 199n, reverse: false }
    const byHash = { start: { hash: hashes[3] as Uint8Array }, count: 1, skip: 0n, reverse: true }
    for (const query of [byNumber, byHash]) {
      const { id, content } = openWithId(encodeHeadersQuery(9n, query))
      expect([id, decodeHeadersQuery(content)] as unknown[]).toEqual([9n, query])
    }
  })

  test('when transactions are written, then legacy ones are lists, typed ones byte strings', () => {
    const bytes = encodeTransactions([legacy, typed])
    expect(toBareHex(bytes)).toBe(`ca${toBareHex(legacy)}85${toBareHex(typed)}`)
    expect(decodeTransactions(bytes)).toEqual([legacy, typed])
  })

  test('when transactions are announced, then eth/68 has types and sizes, eth/66 hashes alone', () => {
    const announced = hashes.map((hash, type) => ({ hash, type, size: 100 + type }))
    expect(decodeTransactionAnnouncements(68, encodeTransactionAnnouncements(68, announced))).toEqual(
      announced,
    )
    expect(decodeTransactionAnnouncements(66, encodeTransactionAnnouncements(66, announced))).toEqual(
      hashes.map(hash => ({ hash, type: undefined, size: undefined })),
    )
  })

  test('when a new block is written, then the block is unchanged in it', () => {
    expect(decodeNewBlock(encodeNewBlock(block, 3n))).toEqual({ block, totalDifficulty: 3n })
    expect(splitBlock(block).header).toEqual(blocks[2]?.header as Uint8Array)
  })

  test('when any bytes arrive, then each decoder reads or refuses them', () => {
    const random = seededRandom(3)
    const decoders: readonly ((bytes: Uint8Array) => unknown)[] = [
      bytes => decodeStatus(68, bytes),
      bytes => decodeStatus(69, bytes),
      decodeAnnouncements,
      bytes => splitBlock(decodeNewBlock(bytes).block),
      decodeTransactions,
      bytes => decodeTransactionAnnouncements(68, bytes),
      bytes => decodeTransactionAnnouncements(66, bytes),
      bytes => decodeHeadersQuery(openWithId(bytes).content),
      bytes => decodeHashes(openWithId(bytes).content, 128),
      decodeBlockRange,
      decodeNeighbours,
      receiptsWithoutBloom,
      decodeHello,
      decodeDisconnect,
    ]
    const seeds = [
      encodeStatus(status),
      encodeNeighbours([new Uint8Array(20), new Uint8Array(20)]),
      encodeStatus(statusOfRange(3n, 700n)),
      encodeBlockRange({ earliest: 0n, latest: 9n, latestHash: hashes[2] as Uint8Array }),
      encodeRlp([[1, 21_000, new Uint8Array(256), []], Uint8Array.of(2, 0xc4, 1, 2, 3, 0xc0)]),
      encodeHello({
        version: 5,
        client: 'client',
        capabilities: OFFERED_CAPABILITIES,
        port: 1,
        publicKey: new Uint8Array(64),
      }),
      encodeNewBlock(block, 3n),
      encodeTransactions([legacy, typed]),
      encodeHeadersQuery(1n, { start: { number: 5n }, count: 2, skip: 0n, reverse: false }),
      encodeRlp([3, hashes]),
    ]
    for (let run = 0; run < 4000; run++) {
      const seed = seeds[run % seeds.length] as Uint8Array
      const bytes = run % 7 === 0 ? random.bytes(1 + random.below(80)) : seed.slice()
      for (let flips = random.below(4); flips >= 0; flips--)
        bytes[random.below(bytes.length)] = random.below(256)
      for (const decode of decoders)
        try {
          decode(bytes)
        } catch (error) {
          if (!(error instanceof RlpError)) throw error
        }
    }
  })
})
