import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import {
  decodeBlock,
  decodeBlockSteps,
  encodeBlock,
  encodeBody,
  encodedBlockLength,
} from '../../../../core/block/codec/block.ts'
import { splitBlocks } from '../../../../core/block/codec/blockStream.ts'
import { encodeEnvelope } from '../../../../core/block/codec/envelope.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { encodeHeader, rawHeaderHash } from '../../../../core/block/codec/header.ts'
import { joinRlpList } from '../../../../core/rlp/list.ts'
import { recoverSender } from '../../../../core/block/codec/signature.ts'
import { decodeTransaction } from '../../../../core/block/codec/transaction.ts'
import type { Header } from '../../../../core/block/header.ts'
import { decodeRlp, encodeRlp, type RlpInput, type RlpItem } from '../../../../core/rlp/rlp.ts'
import { runSteps } from '../../../../core/steps.ts'
import { sharedPath } from '../../../support/published/shared.ts'

const fill = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)
const TO = fill(20, 2)

const header: Header = {
  parentHash: fill(32, 1),
  ommersHash: fill(32, 2),
  coinbase: fill(20, 3),
  stateRoot: fill(32, 4),
  transactionsRoot: fill(32, 5),
  receiptsRoot: fill(32, 6),
  logsBloom: fill(256, 0),
  difficulty: 1n,
  number: 5n,
  gasLimit: 30_000_000n,
  gasUsed: 21_000n,
  timestamp: 1_700_000_000n,
  extraData: fill(3, 8),
  mixHash: fill(32, 9),
  nonce: fill(8, 0),
  baseFeePerGas: 7n,
  withdrawalsRoot: fill(32, 10),
  blobGasUsed: undefined,
  excessBlobGas: undefined,
  parentBeaconBlockRoot: undefined,
  requestsHash: undefined,
}
const LEGACY: readonly RlpInput[] = [1, 2, 21000, TO, 3, fill(60, 1), 27, 5, 6]
const legacy = decodeTransaction(encodeEnvelope(0, LEGACY))
const typed = decodeTransaction(encodeEnvelope(2, [1, 1, 2, 3, 21000, TO, 3, fill(9, 9), [], 0, 5, 6]))
const withdrawal = { index: 1n, validatorIndex: 2n, address: TO, amountGwei: 2n ** 63n }
const block: Block = {
  header,
  transactions: [legacy, typed, legacy],
  ommers: [header],
  withdrawals: [withdrawal],
}

describe('given a block', () => {
  // Lengths around which the prefix of RLP grows by a byte.
  test.each([0, 1, 2, 3, 100, 1_000])(
    'when it has %d transactions, then its length is known without encoding it',
    count => {
      const long = decodeTransaction(encodeEnvelope(2, [1, 1, 2, 3, 21000, TO, 3, fill(300, 9), [], 0, 5, 6]))
      const transactions = Array.from(
        { length: count },
        (_, index) => [legacy, typed, long][index % 3] ?? legacy,
      )
      const { withdrawals: _, ...older } = block
      for (const one of [block, { ...block, ommers: [] }, { ...older, withdrawals: undefined }])
        expect(encodedBlockLength({ ...one, transactions })).toBe(
          encodeBlock({ ...one, transactions }).length,
        )
    },
  )

  test('when it is encoded and decoded, then it is the same, with legacy transactions as lists and typed ones as byte strings', () => {
    const bytes = encodeBlock(block)
    expect(decodeBlock(bytes)).toEqual(block)
    const [, transactions] = decodeRlp(bytes) as Uint8Array[][]
    expect(transactions?.map(item => item instanceof Uint8Array)).toEqual([false, true, false])
  })

  test('when it is before Shanghai, then it has three lists and no withdrawals', () => {
    const old: Block = { ...block, withdrawals: undefined }
    expect((decodeRlp(encodeBlock(old)) as unknown[]).length).toBe(3)
    expect(decodeBlock(encodeBlock(old))).toEqual(old)
    expect(decodeBlock(encodeBlock({ ...old, withdrawals: [] })).withdrawals).toEqual([])
  })

  test('when its body is encoded alone, then it has the lists of the block', () => {
    const { header: _, ...body } = block
    expect(decodeRlp(encodeBody(body))).toEqual((decodeRlp(encodeBlock(block)) as RlpItem[]).slice(1))
  })

  test('when it is decoded, then headers own their bytes, and transactions are views of the block', () => {
    const bytes = encodeBlock(block)
    const decoded = decodeBlock(bytes)
    expect(decoded.header.parentHash.buffer).not.toBe(bytes.buffer)
    expect(decoded.transactions[1]?.encoded.buffer).toBe(bytes.buffer)
  })

  test('when some of its transactions are known, then these are not decoded again', () => {
    const bytes = encodeBlock(block)
    const known = [legacy, typed].map(transaction => ({ ...transaction }))
    for (const one of known) {
      const decoded = runSteps(
        decodeBlockSteps(bytes, hash => (toBareHex(hash) === toBareHex(one.hash) ? one : undefined)),
      )
      expect(decoded).toEqual(block)
      expect(decoded.transactions.map(transaction => transaction === one)).toEqual(
        block.transactions.map(({ hash }) => toBareHex(hash) === toBareHex(one.hash)),
      )
    }
  })

  test('when a known transaction has the form of another type, then it is refused nevertheless', () => {
    const bytes = encodeRlp([decodeRlp(encodeHeader(header)), [encodeRlp(LEGACY)], []])
    expect(() => runSteps(decodeBlockSteps(bytes, () => legacy))).toThrow(
      'a legacy transaction must be a list, not a byte string',
    )
  })

  test('when a transaction is invalid, then the error names it', () => {
    const bytes = encodeRlp([[], [LEGACY, LEGACY.with(6, 1)], []])
    const head = decodeRlp(encodeHeader(header)) as RlpInput
    expect(() => decodeBlock(encodeRlp([head, [LEGACY, LEGACY.with(6, 1)], []]))).toThrow(
      'block: transaction 1: v must be 27, 28 or at least 35, not 1',
    )
    expect(() => decodeBlock(bytes)).toThrow('block: header: 15 to 21 fields expected, not 0')
  })

  const head = decodeRlp(encodeHeader(header)) as RlpInput
  const broken: readonly (readonly [string, RlpInput])[] = [
    ['two lists', [head, []]],
    ['five lists', [head, [], [], [], []]],
    ['a legacy transaction as byte string', [head, [encodeRlp(LEGACY)], []]],
    ['a typed transaction as list', [head, [[2, ...LEGACY]], []]],
    ['an unknown transaction type', [head, [Uint8Array.of(9, 0xc0)], []]],
    ['a withdrawal of three fields', [head, [], [], [[1, 2, TO]]]],
    ['a withdrawal amount above 2^64', [head, [], [], [[1, 2, TO, 2n ** 64n]]]],
    ['an ommer that is no header', [head, [], [[1]]]],
    ['a byte string in place of the ommers', [head, [], fill(1, 1)]],
  ]
  for (const [name, item] of broken)
    test(`when it is ${name}, then it is refused`, () => {
      expect(() => decodeBlock(encodeRlp(item))).toThrow(DecodeError)
    })

  test('when joinRlpList writes a length, then it takes as many bytes as needed', () => {
    for (const count of [0, 1, 55, 56, 255, 256, 65_535, 65_536]) {
      const items = Array.from({ length: count }, () => 5)
      expect(joinRlpList(items.map(item => encodeRlp(item)))).toEqual(encodeRlp(items))
    }
  })
})

describe('given published chains', () => {
  for (const file of ['execution-apis/chain.rlp', 'hive-chain/testBlockchain.blocks']) {
    const path = sharedPath(`conformance/${file}`)
    test.skipIf(path === undefined)(
      `when ${file} is decoded, then it links by hash and encodes to the same bytes`,
      async () => {
        const bytes = readFileSync(path as string)
        let parent: string | undefined
        let end = 0
        for await (const { offset, bytes: blockBytes } of splitBlocks([bytes])) {
          const decoded = decodeBlock(blockBytes)
          expect(toBareHex(encodeBlock(decoded))).toBe(toBareHex(blockBytes))
          if (parent !== undefined) expect(toBareHex(decoded.header.parentHash)).toBe(parent)
          for (const transaction of decoded.transactions) expect(recoverSender(transaction)).toBeDefined()
          parent = toBareHex(rawHeaderHash(decoded.header))
          end = offset + blockBytes.length
        }
        expect(end).toBe(bytes.length)
      },
    )
  }
})
