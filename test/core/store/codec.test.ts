import { describe, expect, test } from 'bun:test'
import { ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { Receipt } from '../../../core/block/receipt.ts'
import { createReader, MalformedRecord } from '../../../core/store/codec/reader.ts'
import { readReceiptsSteps, writeReceipts } from '../../../core/store/codec/receipts.ts'
import { accountCodec } from '../../../core/store/codec/stateValues.ts'
import { createWriter } from '../../../core/store/codec/writer.ts'
import { runSteps } from '../../../core/steps.ts'
import {
  encodeSegment,
  openSegment,
  segmentChanges,
  segmentRecord,
} from '../../../core/store/segments/segment.ts'
import type { BlockCommit } from '../../../core/store/store.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { SEGMENT_PART_BYTES } from '../../../core/store/limits.ts'
import { seededRandom } from '../../support/random.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'

const NUMBERS = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER]
const INTEGERS = [
  0n,
  1n,
  255n,
  256n,
  65_535n,
  65_536n,
  2n ** 24n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 48n,
  2n ** 64n - 1n,
  2n ** 64n,
  10n ** 20n,
  2n ** 128n,
  2n ** 256n - 1n,
]

describe('given writer and reader', () => {
  test('when any form is written, then it reads back', () => {
    const writer = createWriter(1)
    const words = [ZERO_HASH, bigintToFixedBytes(1n, 32), bigintToFixedBytes(2n ** 255n, 32)]
    for (const number of NUMBERS) writer.varint(number)
    for (const integer of INTEGERS) writer.integer(integer)
    for (const word of words) writer.word(word)
    writer.blob(new Uint8Array(1000).fill(7))
    const reader = createReader(writer.finish())
    expect(NUMBERS.map(() => reader.varint())).toEqual(NUMBERS)
    expect(INTEGERS.map(() => reader.integer())).toEqual(INTEGERS)
    expect(words.map(() => reader.word())).toEqual(words)
    expect(reader.blob()).toEqual(new Uint8Array(1000).fill(7))
    expect(reader.done).toBe(true)
  })

  test('when an integer has more than 32 bytes, then it is refused', () => {
    expect(() => createWriter().integer(2n ** 256n)).toThrow(RangeError)
  })

  test('when bytes end early anywhere, then they are refused', () => {
    const { commits } = sampleChain({
      seed: 2,
      blocks: 4,
      accounts: 4,
      slots: 2,
      changesMax: 3,
      transactionsMax: 3,
    })
    const whole = encodeSegment(commits[3] as BlockCommit)
    for (let length = 0; length < whole.length; length += 7)
      expect(() => segmentChanges(openSegment(whole.subarray(0, length)))).toThrow(MalformedRecord)
  })

  test('when a segment has another version, then it is refused', () => {
    const bytes = Uint8Array.of(9, ...new Uint8Array(100))
    expect(() => openSegment(bytes)).toThrow('version 9, this program reads version 1')
  })
})

describe('given an account', () => {
  test('when it has any shape, then it reads back', () => {
    const random = seededRandom(4)
    for (const nonce of INTEGERS.slice(0, 11))
      for (const balance of INTEGERS)
        for (const codeHash of [EMPTY_CODE_HASH, random.bytes(32)])
          for (const storageRoot of [EMPTY_TRIE_ROOT, random.bytes(32)]) {
            const account = { nonce, balance, codeHash, storageRoot, incarnation: BigInt(random.word()) }
            const writer = createWriter()
            accountCodec.write(writer, account)
            expect(accountCodec.read(createReader(writer.finish()))).toEqual(account)
          }
  })
})

describe('given receipts', () => {
  const random = seededRandom(12)
  const receipt: Receipt = {
    type: 2,
    status: true,
    postStateRoot: undefined,
    cumulativeGasUsed: 21_000n,
    logsBloom: new Uint8Array(256),
    logs: [],
    gasUsed: 21_000n,
    effectiveGasPrice: 7n,
    contractAddress: undefined,
    blobGasUsed: 0n,
    blobGasPrice: 0n,
    revertReason: undefined,
  }
  const sparse = new Uint8Array(256)
  for (const byte of [0, 31, 100, 255]) sparse[byte] = 0x81
  const forms: Readonly<Record<string, Receipt>> = {
    'a plain one': receipt,
    'from before Byzantium': { ...receipt, type: 0, status: undefined, postStateRoot: random.bytes(32) },
    'with logs': {
      ...receipt,
      logsBloom: sparse,
      logs: [
        { address: random.bytes(20), topics: [], data: random.bytes(0) },
        {
          address: random.bytes(20),
          topics: [1, 2, 3, 4].map(() => random.bytes(32)),
          data: random.bytes(300),
        },
      ],
    },
    'with a full bloom': { ...receipt, logsBloom: random.bytes(256) },
    'with every bit of the bloom': { ...receipt, logsBloom: new Uint8Array(256).fill(255) },
    'of a creation': { ...receipt, contractAddress: random.bytes(20) },
    'of a blob transaction': { ...receipt, type: 3, blobGasUsed: 131_072n, blobGasPrice: 1n },
    'of a revert': { ...receipt, status: false, revertReason: random.bytes(100) },
    'of a revert without a reason': { ...receipt, status: false, revertReason: new Uint8Array(0) },
  }
  for (const [what, form] of Object.entries(forms))
    test(`when they are ${what}, then they read back`, () => {
      const writer = createWriter()
      runSteps(writeReceipts(writer, [form, receipt], SEGMENT_PART_BYTES))
      expect(runSteps(readReceiptsSteps(createReader(writer.finish())))).toEqual([form, receipt])
    })

  test('when they have no logs, then they take a few bytes, not the 256 of the bloom', () => {
    const writer = createWriter()
    runSteps(writeReceipts(writer, [receipt], SEGMENT_PART_BYTES))
    expect(writer.length).toBeLessThan(20)
  })
})

describe('given a segment', () => {
  test('when it is read, then it gives block, receipts, senders and every change', () => {
    const chain = sampleChain({
      seed: 6,
      blocks: 30,
      accounts: 6,
      slots: 3,
      changesMax: 4,
      transactionsMax: 4,
    })
    for (const commit of chain.commits) {
      const segment = openSegment(encodeSegment(commit))
      const { block, hash, totalDifficulty, senders, receipts, changes } = commit
      expect(segmentRecord(segment)).toEqual({ block, hash, totalDifficulty, senders, receipts })
      expect(segmentChanges(segment)).toEqual(changes)
    }
  })
})
