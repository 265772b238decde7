import { describe, expect, test } from 'bun:test'
import { fromHex, toBareHex } from '../../../../core/bytes/hex.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import {
  decodeExtraData,
  decodeGenesisExtraData,
  encodeExtraData,
  encodeExtraDataWithoutSeals,
  encodeExtraDataWithoutSealsAndRound,
  extraDataOf,
  type QbftExtraData,
} from '../../../../core/block/codec/extraData.ts'
import { encodeRlp, type RlpInput } from '../../../../core/rlp/rlp.ts'
import { EXTRA_DATA, IBFT2_EXTRA_DATA, VANITY } from './qbftVectors.ts'

const addresses = (text: string): Uint8Array[] => text.split(' ').map(fromHex)
const A1 = fromHex('0000000000000000000000000000000000000001')

describe('given extraData', () => {
  for (const [name, hex] of Object.entries(EXTRA_DATA))
    test(`when "${name}" is decoded and encoded, then the bytes are the same`, () => {
      expect(toBareHex(encodeExtraData(decodeExtraData(fromHex(hex))))).toBe(hex)
    })

  test('when it is of contract mode, then it is empty', () => {
    expect(decodeExtraData(fromHex(EXTRA_DATA.contractMode))).toEqual({
      vanity: new Uint8Array(32),
      validators: [],
      vote: undefined,
      round: 0,
      seals: [],
    })
  })

  test('when every part is set, then it is read as in Besu', () => {
    const seal = (r: number, s: number): Uint8Array => {
      const bytes = new Uint8Array(65)
      bytes[31] = r
      bytes[63] = s
      return bytes
    }
    expect(decodeExtraData(fromHex(EXTRA_DATA.everything))).toEqual({
      vanity: Uint8Array.from({ length: 32 }, (_, index) => index + 1),
      validators: addresses(
        '0000000000000000000000000000000000000001 0000000000000000000000000000000000000002',
      ),
      vote: { recipient: A1, type: 'add' },
      round: 0xfedcba,
      seals: [seal(1, 10), seal(10, 1)],
    })
  })

  test('when a genesis file lists validators, then their order stays', () => {
    expect(decodeExtraData(fromHex(EXTRA_DATA.fourUnsorted)).validators).toEqual(
      addresses(
        '64a702e6263b7297a96638cac6ae65e6541f4169 3923390ad55e90c237593b3b0e401f3b08a03185 aefdb9a738c9f433e5b6b212a6d62f6370c2f692 c7eeb9a4e00ce683cf93039b212648e01c6c6b78',
      ),
    )
    expect(decodeExtraData(fromHex(EXTRA_DATA.twoDecoded)).validators).toEqual(
      addresses('241f804efb46f71acaa5be94a62f7798e89c3724 6cdf72da457453063ea92e7fa5ac30afbcec28cd'),
    )
  })

  test('when it is GoQuorum’s, then the vanity may be missing and the round any', () => {
    expect(decodeExtraData(fromHex(EXTRA_DATA.goQuorumNoVanity)).vanity).toHaveLength(0)
    const round5 = `${EXTRA_DATA.goQuorum.slice(0, -4)}05c0`
    expect(decodeExtraData(fromHex(round5)).round).toBe(5)
  })

  test('when it is hashed, then it has three forms', () => {
    const extraData = decodeExtraData(fromHex(EXTRA_DATA.everything))
    const withoutSeals = decodeExtraData(encodeExtraDataWithoutSeals(extraData))
    expect(withoutSeals).toEqual({ ...extraData, seals: [] })
    const bare = decodeExtraData(encodeExtraDataWithoutSealsAndRound(extraData))
    expect(bare).toEqual({ ...extraData, seals: [], round: 0 })
  })

  test('when it has a vote, then adding is 0xff and dropping is empty', () => {
    const extraData: QbftExtraData = {
      ...decodeExtraData(fromHex(EXTRA_DATA.contractMode)),
      vote: { recipient: A1, type: 'add' },
    }
    const add = 'd794000000000000000000000000000000000000000181ff'
    const drop = 'd694000000000000000000000000000000000000000180'
    expect(toBareHex(encodeExtraData(extraData))).toContain(`c0${add}80c0`)
    const dropping: QbftExtraData = { ...extraData, vote: { recipient: A1, type: 'drop' } }
    expect(toBareHex(encodeExtraData(dropping))).toContain(`c0${drop}80c0`)
  })

  const items: readonly RlpInput[] = [fromHex(VANITY), [A1], [], 0, []]
  const ibft2WithVote = (type: Uint8Array): Uint8Array =>
    encodeRlp(items.with(2, [A1, type]).with(3, new Uint8Array(4)))
  const withItem = (index: number, item: RlpInput): Uint8Array => encodeRlp(items.with(index, item))

  test('when Besu is lenient, then only for a genesis block, whose hash covers every byte, this is, too', () => {
    const longer = encodeRlp([...items, 1, []])
    const otherVote = withItem(2, [A1, Uint8Array.of(0)])
    for (const bytes of [longer, otherVote]) expect(() => decodeExtraData(bytes)).toThrow(DecodeError)
    expect(decodeGenesisExtraData(longer)).toEqual(decodeExtraData(encodeRlp(items)))
    expect(decodeGenesisExtraData(otherVote).vote?.type).toBe('drop')
    expect(extraDataOf({ extraData: longer, number: 0n })).toEqual(decodeGenesisExtraData(longer))
    expect(() => extraDataOf({ extraData: longer, number: 1n })).toThrow('5 fields expected, not 7')
    expect(decodeExtraData(withItem(0, new Uint8Array(100))).vanity).toHaveLength(100)
  })

  test('when it is IBFT 2.0’s, then the round has four bytes, and a missing vote is an empty string', () => {
    const extraData = decodeExtraData(fromHex(IBFT2_EXTRA_DATA))
    expect(extraData).toMatchObject({ encoding: 'ibft2', vote: undefined, round: 0, seals: [] })
    expect(extraData.validators).toHaveLength(2)
    expect(toBareHex(encodeExtraData(extraData))).toBe(IBFT2_EXTRA_DATA)
    expect(toBareHex(encodeExtraData({ ...extraData, round: 0x00fedcba })).endsWith('808400fedcbac0')).toBe(
      true,
    )
  })

  test('when it is IBFT 2.0’s, then its hashed forms end before the seals, and before the round', () => {
    const extraData: QbftExtraData = {
      ...decodeExtraData(fromHex(IBFT2_EXTRA_DATA)),
      vote: { recipient: A1, type: 'drop' },
      round: 2,
    }
    const vote: RlpInput = [A1, Uint8Array.of(0)]
    const common: readonly RlpInput[] = [extraData.vanity, extraData.validators, vote]
    const round = Uint8Array.of(0, 0, 0, 2)
    expect(encodeExtraDataWithoutSealsAndRound(extraData)).toEqual(encodeRlp(common))
    expect(encodeExtraDataWithoutSeals(extraData)).toEqual(encodeRlp([...common, round]))
    expect(decodeExtraData(encodeRlp([...common, round, []]))).toEqual(extraData)
  })

  const N = fromHex('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
  const seal = (change: (bytes: Uint8Array) => void): RlpInput => {
    const bytes = new Uint8Array(65)
    bytes[31] = 1
    bytes[63] = 1
    change(bytes)
    return [bytes]
  }
  test('when the s of a seal is high, then it is accepted', () => {
    const highS = N.map((byte, index) => (index === 31 ? byte - 1 : byte))
    expect(
      decodeExtraData(
        withItem(
          4,
          seal(bytes => bytes.set(highS, 32)),
        ),
      ).seals,
    ).toHaveLength(1)
  })

  const broken: readonly (readonly [string, Uint8Array])[] = [
    ['a missing vote of IBFT 2.0 in QBFT’s form', withItem(2, new Uint8Array(0))],
    ['a vote of IBFT 2.0 that is an empty list', encodeRlp(items.with(3, new Uint8Array(4)))],
    ['a vote type of IBFT 2.0 that is empty', ibft2WithVote(new Uint8Array(0))],
    ['four items', encodeRlp(items.slice(0, 4))],
    ['a byte string', Uint8Array.of(0x80)],
    ['bytes behind the list', Uint8Array.of(...encodeRlp(items), 0)],
    ['a validator of 19 bytes', withItem(1, [A1.subarray(1)])],
    ['a vote that is not a list', withItem(2, A1)],
    ['a vote without type', withItem(2, [A1])],
    ['a vote of three fields', withItem(2, [A1, Uint8Array.of(0xff), 0])],
    ['a vote of type 1', withItem(2, [A1, Uint8Array.of(1)])],
    ['a vote type of two bytes', withItem(2, [A1, Uint8Array.of(0xff, 0xff)])],
    ['a round with a leading zero', withItem(3, Uint8Array.of(0))],
    ['a round of five bytes', withItem(3, 2n ** 32n)],
    ['a round above 2^31 - 1', withItem(3, 2n ** 31n)],
    ['a seal of 64 bytes', withItem(4, [new Uint8Array(64).fill(1)])],
    ['a seal of 66 bytes', withItem(4, [new Uint8Array(66).fill(1)])],
    [
      'a seal with r = 0',
      withItem(
        4,
        seal(bytes => bytes.fill(0, 0, 32)),
      ),
    ],
    [
      'a seal with s = 0',
      withItem(
        4,
        seal(bytes => bytes.fill(0, 32, 64)),
      ),
    ],
    [
      'a seal with r = order',
      withItem(
        4,
        seal(bytes => bytes.set(N, 0)),
      ),
    ],
    [
      'a seal with s = order',
      withItem(
        4,
        seal(bytes => bytes.set(N, 32)),
      ),
    ],
    [
      'a seal with parity 2',
      withItem(
        4,
        seal(bytes => bytes.fill(2, 64)),
      ),
    ],
    [
      'a seal with parity 27',
      withItem(
        4,
        seal(bytes => bytes.fill(27, 64)),
      ),
    ],
  ]
  for (const [name, bytes] of broken)
    test(`when it has ${name}, then it is refused`, () => {
      expect(() => decodeExtraData(bytes)).toThrow(DecodeError)
    })

  test('when it is missing, then the error has Besu’s text', () => {
    expect(() => decodeExtraData(new Uint8Array(0))).toThrow(
      'Invalid Bytes supplied - Bft Extra Data required.',
    )
  })
})

test('given a header, when its extraData is asked for again, then it is decoded once; a long one, and one of another header, is decoded anew', () => {
  const of = (vanity: Uint8Array) => ({
    extraData: encodeExtraData({ vanity, validators: [], vote: undefined, round: 0, seals: [] }),
    number: 1n,
  })
  const [header, long] = [of(new Uint8Array(32)), of(new Uint8Array(64 * 1024))]
  expect(extraDataOf(header)).toEqual(decodeExtraData(header.extraData))
  expect(extraDataOf(header)).toBe(extraDataOf(header))
  expect(extraDataOf({ ...header })).not.toBe(extraDataOf(header))
  expect(extraDataOf(long)).not.toBe(extraDataOf(long))
  expect(() => extraDataOf({ extraData: new Uint8Array(3), number: 1n })).toThrow(DecodeError)
})
