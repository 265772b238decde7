import { describe, expect, test } from 'bun:test'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { joinRlpList } from '../../../core/rlp/list.ts'
import { encodedLength, LIST_HEAD, stringLength, writeHead, writeString } from '../../../core/rlp/write.ts'

/** Around each length where the head grows by a byte. */
const LENGTHS = [0, 1, 2, 55, 56, 255, 256, 65_535, 65_536, 16_777_215, 16_777_216]

const encoded = (content: Uint8Array): Uint8Array => {
  const out = new Uint8Array(stringLength(content.length, content[0]))
  expect(writeString(out, 0, content)).toBe(out.length)
  return out
}

describe('given a byte string', () => {
  test.each(LENGTHS)(
    'when one of %d bytes is written in place, then it is as the encoder gives it',
    length => {
      const content = new Uint8Array(length).fill(0x80)
      expect(Buffer.compare(encoded(content), encodeRlp(content))).toBe(0)
    },
  )

  test.each([0x00, 0x01, 0x7f, 0x80, 0xff])('when it is the byte %d alone, then it is, too', byte => {
    expect(encoded(Uint8Array.of(byte))).toEqual(encodeRlp(Uint8Array.of(byte)))
  })
})

describe('given a list', () => {
  test.each(LENGTHS)('when %d empty strings are joined, then it is as the encoder gives it', length => {
    const content = new Uint8Array(length).fill(0x80)
    const list = joinRlpList([content])
    expect(list.length).toBe(encodedLength(length))
    const start = writeHead(new Uint8Array(list.length), 0, LIST_HEAD, length)
    expect(Buffer.compare(list.subarray(start), content)).toBe(0)
    if (length < 65_536) expect(list).toEqual(encodeRlp(Array.from({ length }, () => new Uint8Array())))
    else expect(Buffer.compare(list.subarray(1, start), encodeRlp(content).subarray(1, start))).toBe(0)
  })
})
