import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { decodeHeader, encodeHeader, headerItem, rawHeaderHash } from '../../../../core/block/codec/header.ts'
import type { Header } from '../../../../core/block/header.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { encodeRlp, type RlpInput } from '../../../../core/rlp/rlp.ts'

const fill = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)

const FRONTIER: Header = {
  parentHash: fill(32, 1),
  ommersHash: fill(32, 2),
  coinbase: fill(20, 3),
  stateRoot: fill(32, 4),
  transactionsRoot: fill(32, 5),
  receiptsRoot: fill(32, 6),
  logsBloom: fill(256, 7),
  difficulty: 2n ** 200n,
  number: 128n,
  gasLimit: 2n ** 63n - 1n,
  gasUsed: 0n,
  timestamp: 1_700_000_000n,
  extraData: fill(90, 8),
  mixHash: fill(32, 9),
  nonce: fill(8, 0),
  baseFeePerGas: undefined,
  withdrawalsRoot: undefined,
  blobGasUsed: undefined,
  excessBlobGas: undefined,
  parentBeaconBlockRoot: undefined,
  requestsHash: undefined,
}
const LONDON: Header = { ...FRONTIER, baseFeePerGas: 0n }
const SHANGHAI: Header = { ...LONDON, withdrawalsRoot: fill(32, 10) }
const CANCUN: Header = {
  ...SHANGHAI,
  blobGasUsed: 0n,
  excessBlobGas: 131_072n,
  parentBeaconBlockRoot: fill(32, 11),
}
const PRAGUE: Header = { ...CANCUN, requestsHash: fill(32, 12) }

describe('given a header', () => {
  const forms: Readonly<Record<string, readonly [Header, number]>> = {
    Frontier: [FRONTIER, 15],
    London: [LONDON, 16],
    Shanghai: [SHANGHAI, 17],
    Cancun: [CANCUN, 20],
    Prague: [PRAGUE, 21],
  }
  for (const [fork, [header, fields]] of Object.entries(forms))
    test(`when it is of ${fork}, then it has ${fields} fields and decodes to the same`, () => {
      expect(headerItem(header).length).toBe(fields)
      expect(decodeHeader(encodeHeader(header))).toEqual(header)
      expect(rawHeaderHash(header)).toEqual(keccak256(encodeHeader(header)))
    })

  test('when a field is absent, then it ends there', () => {
    const gap: Header = { ...PRAGUE, withdrawalsRoot: undefined }
    expect(encodeHeader(gap)).toEqual(encodeHeader(LONDON))
  })

  test('when its source changes, then it keeps its own bytes', () => {
    const bytes = encodeHeader(PRAGUE)
    const header = decodeHeader(bytes)
    bytes.fill(0)
    expect(toHex(header.parentHash)).toBe(toHex(PRAGUE.parentHash))
    expect(header).toEqual(PRAGUE)
  })

  const items = headerItem(PRAGUE)
  const broken: readonly (readonly [string, readonly RlpInput[]])[] = [
    ['a field too few', items.slice(0, 14)],
    ['a field too many', [...items, 0]],
    ['a short parent hash', items.with(0, fill(31, 1))],
    ['a short coinbase', items.with(2, fill(19, 1))],
    ['a short bloom', items.with(6, fill(255, 1))],
    ['a nonce of 7 bytes', items.with(14, fill(7, 0))],
    ['a difficulty with a leading zero', items.with(7, Uint8Array.of(0, 1))],
    ['a number above 2^64', items.with(8, 2n ** 64n)],
    ['a gas limit above 2^64', items.with(9, 2n ** 64n)],
    ['a timestamp above 2^64', items.with(11, 2n ** 64n)],
    ['a base fee above 2^256', items.with(15, fill(33, 1))],
    ['a short requests hash', items.with(20, fill(31, 1))],
    ['a list in place of extraData', items.with(12, [])],
  ]
  for (const [name, changed] of broken)
    test(`when it has ${name}, then it is refused`, () => {
      expect(() => decodeHeader(encodeRlp(changed))).toThrow(DecodeError)
    })

  test('when it is not a list, or bytes follow, then it is refused', () => {
    expect(() => decodeHeader(Uint8Array.of(0x80))).toThrow('header: it must be a list')
    expect(() => decodeHeader(Uint8Array.of(...encodeHeader(PRAGUE), 0))).toThrow(DecodeError)
  })
})
