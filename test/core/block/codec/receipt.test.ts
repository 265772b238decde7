import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { decodeBlock } from '../../../../core/block/codec/block.ts'
import { splitBlocks } from '../../../../core/block/codec/blockStream.ts'
import { joinBlooms, logsBloom } from '../../../../core/block/codec/bloom.ts'
import { encodeEnvelope } from '../../../../core/block/codec/envelope.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import {
  type ConsensusReceipt,
  decodeReceipt,
  encodeReceipt,
  encodeReceiptSteps,
} from '../../../../core/block/codec/receipt.ts'
import type { RlpInput } from '../../../../core/rlp/rlp.ts'
import { runSteps } from '../../../../core/steps.ts'
import { orderedTrieRoot } from '../../../../core/trie/ordered.ts'
import { sharedPath } from '../../../support/published/shared.ts'

const log = {
  address: fromHex('095e7baea6a6c7c4c2dfeb977efac326af552d87'),
  topics: [new Uint8Array(32), new Uint8Array(32).fill(7)],
  data: fromHex('010203'),
}
const receipt: ConsensusReceipt = {
  type: 0,
  status: true,
  postStateRoot: undefined,
  cumulativeGasUsed: 21_000n,
  logsBloom: logsBloom([log]),
  logs: [log],
}

describe('given a receipt', () => {
  const forms: Readonly<Record<string, ConsensusReceipt>> = {
    'of a success': receipt,
    'of a failure': { ...receipt, status: false, logs: [], logsBloom: logsBloom([]) },
    'with a state root': { ...receipt, status: undefined, postStateRoot: new Uint8Array(32).fill(9) },
    'of type 2': { ...receipt, type: 2 },
    'of type 4': { ...receipt, type: 4, cumulativeGasUsed: 2n ** 60n },
  }
  for (const [name, form] of Object.entries(forms))
    test(`when ${name} is encoded and decoded, then it is the same`, () => {
      const bytes = encodeReceipt(form)
      expect(decodeReceipt(bytes)).toEqual(form)
      if (form.type !== 0) expect(bytes[0]).toBe(form.type)
    })

  for (const [name, form] of Object.entries(forms))
    test(`when ${name} is written anywhere, then it is RLP after its type`, () => {
      const { type, status, postStateRoot, cumulativeGasUsed, logsBloom, logs } = form
      const items: readonly RlpInput[] = [
        postStateRoot ?? (status === true ? 1 : 0),
        cumulativeGasUsed,
        logsBloom,
        logs.map(({ address, topics, data }) => [address, topics, data]),
      ]
      const bytes = encodeReceipt(form)
      expect(bytes).toEqual(encodeEnvelope(type, items))
      const slab = new Uint8Array(2000).fill(0xee)
      expect(encodeReceipt(form, length => slab.subarray(100, 100 + length))).toEqual(bytes)
      expect(slab[99]).toBe(0xee)
      expect(slab[100 + bytes.length]).toBe(0xee)
    })

  const long = { ...log, data: new Uint8Array(300_000).fill(5) }
  const lists: Readonly<Record<string, ConsensusReceipt['logs']>> = {
    'no logs': [],
    'some logs': [log, log],
    'thousands of logs': Array.from({ length: 3000 }, () => log),
    'a long log': [long],
    'long logs among others': [log, long, log, long, long, log],
  }
  for (const [name, logs] of Object.entries(lists))
    test(`when ${name} is written in pieces, then the bytes are the same`, () => {
      const form: ConsensusReceipt = { ...receipt, type: 2, logs }
      expect(concatBytes(...runSteps(encodeReceiptSteps(form)))).toEqual(encodeReceipt(form))
    })

  const items: readonly RlpInput[] = [1, 21000, receipt.logsBloom, []]
  const broken: readonly (readonly [string, number, readonly RlpInput[]])[] = [
    ['a field missing', 0, items.slice(1)],
    ['a status of 2', 0, items.with(0, 2)],
    ['a state root of 31 bytes', 0, items.with(0, new Uint8Array(31).fill(1))],
    ['a short bloom', 2, items.with(2, new Uint8Array(255))],
    ['a topic of 31 bytes', 0, items.with(3, [[log.address, [new Uint8Array(31)], log.data]])],
    ['a log of two fields', 0, items.with(3, [[log.address, []]])],
    ['an unknown type', 5, items],
  ]
  for (const [name, type, changed] of broken)
    test(`when it has ${name}, then it is refused`, () => {
      expect(() => decodeReceipt(encodeEnvelope(type, changed))).toThrow(DecodeError)
    })

  const published = sharedPath('conformance/execution-apis')
  test.skipIf(published === undefined)(
    'when those of a published block are hashed, then they give its receipts root',
    async () => {
      const text = readFileSync(`${published}/cases/eth_getBlockReceipts/get-block-receipts-n.io`, 'utf8')
      const answer = JSON.parse(/^<< (.*)$/m.exec(text)?.[1] as string) as {
        result: readonly PublishedReceipt[]
      }
      const encoded = answer.result.map(({ type, root, cumulativeGasUsed, logsBloom: bloom, logs }) => {
        expect(logs).toEqual([])
        return encodeReceipt({
          type: Number(type) as 0,
          status: undefined,
          postStateRoot: fromHex(root),
          cumulativeGasUsed: BigInt(cumulativeGasUsed),
          logsBloom: fromHex(bloom),
          logs: [],
        })
      })
      for await (const { bytes } of splitBlocks([readFileSync(`${published}/chain.rlp`)])) {
        expect(toHex(orderedTrieRoot(encoded))).toBe(toHex(decodeBlock(bytes).header.receiptsRoot))
        break
      }
      expect(encoded.length).toBeGreaterThan(1)
    },
  )
})

type PublishedReceipt = {
  readonly type: string
  readonly root: string
  readonly cumulativeGasUsed: string
  readonly logsBloom: string
  readonly logs: readonly unknown[]
}

describe('given a bloom', () => {
  test('when it has the log of the Yellow Paper tests, then the known bits are set', () => {
    const bloom = logsBloom([{ address: log.address, topics: [new Uint8Array(32)], data: log.data }])
    const bits = [...bloom].flatMap((byte, index) =>
      [0, 1, 2, 3, 4, 5, 6, 7].filter(bit => byte & (1 << bit)).map(bit => (255 - index) * 8 + bit),
    )
    // keccak of the address begins d7a8 a9a9 ..., each pair modulo 2048; likewise 290d ecd9 548b for the topic.
    expect(bits).toContain(0x290d % 2048)
    expect(bits).toContain(0xecd9 % 2048)
    expect(bits).toContain(0x548b % 2048)
    expect(bits).toHaveLength(6)
  })

  test('when it is a block’s, then it joins all its receipts', () => {
    const other = { ...log, address: new Uint8Array(20).fill(3), topics: [] }
    expect(joinBlooms([logsBloom([log]), logsBloom([other])])).toEqual(logsBloom([log, other]))
  })
})
