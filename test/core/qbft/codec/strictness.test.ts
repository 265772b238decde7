import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { fromHex, toBareHex } from '../../../../core/bytes/hex.ts'
import { encodeBlock } from '../../../../core/block/codec/block.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { joinRlpList } from '../../../../core/rlp/list.ts'
import { decodeMessage, encodeMessage, QBFT_MESSAGE_BYTES_MAX } from '../../../../core/qbft/codec/message.ts'
import { encodeSigned, JUSTIFICATION_ITEMS_MAX } from '../../../../core/qbft/codec/signed.ts'
import { QBFT_CODES } from '../../../../core/qbft/message.ts'
import { encodeRlp, type RlpInput } from '../../../../core/rlp/rlp.ts'
import { VALIDATORS } from '../../chain/support/keys.ts'
import { BLOCK, DIGEST, prepareBy, proposalBy, roundChangeBy, signedRoundChangeBy } from './messages.ts'

const { proposal, prepare, commit, 'round-change': roundChange } = QBFT_CODES
const [V0] = VALIDATORS
const SIGNATURE = prepareBy(V0).signature
const EMPTY = Uint8Array.of(0xc0)

const refusal = (code: number, data: Uint8Array): string => {
  try {
    decodeMessage(code, data)
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError)
    expect((error as DecodeError).code).toBe('INVALID_MESSAGE')
    return (error as DecodeError).message
  }
  return 'none'
}
const prepareOf = (payload: RlpInput): Uint8Array => encodeRlp([payload, SIGNATURE])
const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)

/** A list whose content is `length` times the byte. */
const listOf = (length: number, byte: number): Uint8Array => joinRlpList([filled(length, byte)])

describe('given the number of items', () => {
  test.each([
    ['prepare', prepare, [1n, 0, DIGEST]],
    ['commit', commit, [1n, 0, DIGEST, SIGNATURE]],
  ] as const)('when a %s has one more or less, then it is refused', (_name, code, payload) => {
    expect(refusal(code, prepareOf(payload))).toBe('none')
    expect(refusal(code, prepareOf([...payload, 1]))).toContain('more than')
    expect(refusal(code, prepareOf(payload.slice(0, -1)))).toContain('are needed')
    expect(refusal(code, encodeRlp([payload, SIGNATURE, 1]))).toContain('more than 2 items')
    expect(refusal(code, encodeRlp([payload]))).toContain('2 are needed')
    expect(refusal(code, encodeRlp([encodeRlp(payload), SIGNATURE]))).toContain('must be a list')
  })

  test('when a round change has three items or four, and metadata of two or none, then it is read', () => {
    const { signed } = roundChangeBy(V0, 1)
    const of = (...rest: readonly Uint8Array[]): Uint8Array => joinRlpList([encodeSigned(signed), ...rest])
    expect(refusal(roundChange, of(EMPTY, EMPTY))).toBe('none')
    expect(refusal(roundChange, of(EMPTY, Uint8Array.of(0x80), EMPTY))).toBe('none')
    expect(refusal(roundChange, of(EMPTY))).toContain('3 are needed')
    expect(refusal(roundChange, of(EMPTY, Uint8Array.of(0x80), EMPTY, EMPTY))).toContain('more than 4')
    const metadata = (...items: RlpInput[]): Uint8Array => encodeRlp([[[1n, 1, items], SIGNATURE], [], []])
    expect(refusal(roundChange, metadata(0, DIGEST))).toBe('none')
    expect(refusal(roundChange, metadata(0))).toContain('2 are needed')
    expect(refusal(roundChange, metadata(0, DIGEST, 0))).toContain('more than 2')
  })

  test('when bytes follow the message, or there are none, then it is refused', () => {
    const { data } = encodeMessage({ kind: 'prepare', signed: prepareBy(V0) }, 'legacy')
    expect(refusal(prepare, concatBytes(data, Uint8Array.of(0)))).toContain('unread bytes')
    expect(refusal(prepare, data.subarray(0, -1))).toContain('out of range')
    for (const code of Object.values(QBFT_CODES)) expect(refusal(code, new Uint8Array(0))).not.toBe('none')
  })
})

describe('given the bounds of fields', () => {
  test('when sequences exceed 63 bits or rounds 31, then they are refused', () => {
    expect(refusal(prepare, prepareOf([2n ** 63n - 1n, 2 ** 31 - 1, DIGEST]))).toBe('none')
    expect(refusal(prepare, prepareOf([2n ** 63n, 0, DIGEST]))).toContain('is above')
    expect(refusal(prepare, prepareOf([2n ** 64n, 0, DIGEST]))).toContain('longer than 8 bytes')
    expect(refusal(prepare, prepareOf([1n, 2 ** 31, DIGEST]))).toContain('is above')
    expect(refusal(prepare, prepareOf([1n, 2 ** 32, DIGEST]))).toContain('longer than 4 bytes')
    expect(refusal(prepare, prepareOf([1n, Uint8Array.of(0, 1), DIGEST]))).toContain('leading zeros')
  })

  test('when digests do not have 32 bytes, or signatures 65, then they are refused', () => {
    expect(refusal(prepare, prepareOf([1n, 0, DIGEST.subarray(1)]))).toContain('32 bytes')
    expect(refusal(prepare, encodeRlp([[1n, 0, DIGEST], SIGNATURE.subarray(1)]))).toContain('65 bytes')
    expect(refusal(commit, prepareOf([1n, 0, DIGEST, DIGEST]))).toContain('65 bytes')
    expect(refusal(commit, prepareOf([1n, 0, DIGEST, []]))).toContain('must be a byte string')
  })

  test.each([
    ['a single byte in the string form', '8101'],
    ['a long form for a short length', 'b801ff'],
    ['a length with leading zeros', 'b90038'],
    ['a length beyond the message', 'bb7fffffff'],
    ['a length that is no exact number', 'bfffffffffffffffff'],
    ['a list beyond its list', 'c401'],
  ])('when %s is no canonical RLP, then it is refused', (_name, item) => {
    const payload = joinRlpList([fromHex(item), Uint8Array.of(0x80), encodeRlp(DIGEST)])
    expect(refusal(prepare, joinRlpList([payload, encodeRlp(SIGNATURE)]))).not.toBe('none')
  })

  test('when the code is not one of the four, then it is not a message', () => {
    for (const code of [0, 0x11, 0x16, -1, 0.5])
      expect(refusal(code, EMPTY)).toContain('no message has the code')
  })

  test('when there is a block access list, then it is refused with a reason', () => {
    const { signed } = roundChangeBy(V0, 1)
    const list = Uint8Array.of(0xc0)
    expect(refusal(roundChange, joinRlpList([encodeSigned(signed), EMPTY, list, EMPTY]))).toContain(
      'EIP-7928',
    )
    const payload = joinRlpList([
      encodeRlp(1),
      encodeRlp(0),
      encodeBlock(BLOCK),
      Uint8Array.of(0x83, 1, 2, 3),
    ])
    const justification = joinRlpList([EMPTY, EMPTY])
    const data = joinRlpList([joinRlpList([payload, encodeRlp(SIGNATURE)]), justification])
    expect(refusal(proposal, data)).toContain('EIP-7928')
  })

  test('when the extraData is not QBFT’s, then the message is refused', () => {
    const block = { ...BLOCK, header: { ...BLOCK.header, extraData: new Uint8Array(32) } }
    expect(refusal(proposal, encodeMessage(proposalBy(V0, 0, block), 'legacy').data)).toContain('extraData')
    const long = { ...BLOCK, header: { ...BLOCK.header, extraData: listOf(200_000, 0xc0) } }
    expect(refusal(proposal, encodeMessage(proposalBy(V0, 0, long), 'legacy').data)).toContain(
      'extraData has',
    )
  })
})

describe('given signed payloads', () => {
  test('when one moves into another message, then its bytes are the same', () => {
    const carried = decodeMessage(
      roundChange,
      encodeMessage(
        roundChangeBy(V0, 1, { block: BLOCK, round: 0, digest: DIGEST, prepares: [prepareBy(V0)] }),
        'legacy',
      ).data,
    )
    if (carried.kind !== 'round-change') throw new Error('not a round change')
    const message = proposalBy(V0, 1, BLOCK, { roundChanges: [carried.signed], prepares: carried.prepares })
    const text = toBareHex(encodeMessage(message, 'legacy').data)
    for (const { payloadBytes } of [carried.signed, ...carried.prepares])
      expect(text).toContain(toBareHex(payloadBytes))
  })

  test('when one is decoded, then it is a view of the message', () => {
    const { data } = encodeMessage({ kind: 'prepare', signed: prepareBy(V0) }, 'legacy')
    expect(decodeMessage(prepare, data).signed.payloadBytes.buffer).toBe(data.buffer)
  })
})

describe('given large input', () => {
  test('when a message exceeds the limit, then it is refused early', () => {
    expect(refusal(prepare, new Uint8Array(QBFT_MESSAGE_BYTES_MAX + 1))).toContain('at most')
  })

  test('when there are more signed items than validators anywhere, then it is refused early', () => {
    const one = encodeSigned(signedRoundChangeBy(V0, 1))
    const list = joinRlpList(Array.from({ length: JUSTIFICATION_ITEMS_MAX + 1 }, () => one))
    const signed = encodeSigned(proposalBy(V0, 1, BLOCK).signed)
    const most = joinRlpList(Array.from({ length: JUSTIFICATION_ITEMS_MAX }, () => one))
    expect(refusal(proposal, joinRlpList([signed, joinRlpList([list, EMPTY])]))).toContain('more than 1000')
    expect(refusal(proposal, joinRlpList([signed, joinRlpList([most, EMPTY])]))).toBe('none')
  })

  const MANY = QBFT_MESSAGE_BYTES_MAX - 1000
  const codes = Object.values(QBFT_CODES)

  test('when a message has nothing but empty lists on any level, then it is refused early', () => {
    for (const code of codes) {
      expect(refusal(code, listOf(MANY, 0xc0))).not.toBe('none')
      expect(refusal(code, joinRlpList([listOf(MANY, 0xc0), encodeRlp(SIGNATURE)]))).not.toBe('none')
      expect(refusal(code, filled(MANY, 0xc1))).not.toBe('none')
    }
  })

  test.each([0xc0, 0x80, 0xc1, 0x01])(
    'when a block has nothing but items of one byte, 0x%s, then it is refused early',
    byte => {
      const block = listOf(MANY, byte)
      const payload = joinRlpList([encodeRlp(1), encodeRlp(0), block])
      const data = joinRlpList([joinRlpList([payload, encodeRlp(SIGNATURE)]), joinRlpList([EMPTY, EMPTY])])
      expect(refusal(proposal, data)).toContain('items')
      const { signed } = roundChangeBy(V0, 1)
      expect(refusal(roundChange, joinRlpList([encodeSigned(signed), block, EMPTY]))).toContain('items')
    },
  )
})
