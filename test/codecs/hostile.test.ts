import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { joinBytes } from '../../core/bytes/bytes.ts'
import { decodeRlp, RLP_DEPTH_MAX, RlpError } from '../../core/rlp/rlp.ts'
import { type Codec, faultOf, readAgain } from './codec.ts'
import { CODECS } from './table.ts'

/** Changed encodings of each kind. */
const RUNS = 300

/** Bytes with which a length, a kind or an integer begins, and any others. */
const piece = fc.oneof(
  fc
    .constantFrom('80', 'c0', '00', 'ff', '8100', 'b800', 'bfffffffffffffffff', 'ffffffffffffffffff')
    .map(hex => Uint8Array.fromHex(hex)),
  fc.uint8Array({ maxLength: 6 }),
)

/** A part of the bytes is replaced; places are fractions of their length. */
const edit = fc.record({ from: fc.nat(10_000), length: fc.nat(40), piece })

const edited = (
  bytes: Uint8Array,
  edits: readonly { readonly from: number; readonly length: number; readonly piece: Uint8Array }[],
): Uint8Array => {
  let result = bytes
  for (const { from, length, piece } of edits) {
    const at = from % (result.length + 1)
    result = joinBytes([result.subarray(0, at), piece, result.subarray(at + length)])
  }
  return result
}

const named = (codecs: readonly Codec[]) => codecs.map(codec => [codec.name, codec] as const)

describe('given an encoding that was changed in several places', () => {
  test.each(named(CODECS))(
    'when it is of a kind (%s), then it is refused, or is what is written',
    (_name, codec) => {
      fc.assert(
        fc.property(fc.nat(), fc.array(edit, { minLength: 1, maxLength: 4 }), (index, edits) => {
          const sample = codec.samples[index % codec.samples.length] as Uint8Array
          expect(faultOf(codec, edited(sample, edits))).toBeUndefined()
        }),
        { numRuns: RUNS },
      )
    },
  )
})

/** Lists within lists, each of one item. */
const nested = (depth: number): Uint8Array => {
  const bytes = new Uint8Array(9 * depth)
  let at = bytes.length
  for (let i = 0; i < depth; i++) {
    const length = bytes.length - at
    if (length <= 55) {
      bytes[--at] = 0xc0 + length
      continue
    }
    let rest = length
    let size = 0
    for (; rest > 0; rest = Math.floor(rest / 256), size++) bytes[--at] = rest & 255
    bytes[--at] = 0xf7 + size
  }
  return bytes.subarray(at)
}

/** Bytes that ask for much: deep lists, many items, and lengths that are not there. */
const BOMBS: readonly (readonly [string, Uint8Array])[] = [
  ['lists within 100,000 lists', nested(100_000)],
  [
    'a million empty strings',
    joinBytes([Uint8Array.of(0xfa, 0x0f, 0x42, 0x40), new Uint8Array(1_000_000).fill(0x80)]),
  ],
  [
    'a million empty lists',
    joinBytes([Uint8Array.of(0xfa, 0x0f, 0x42, 0x40), new Uint8Array(1_000_000).fill(0xc0)]),
  ],
  ['a million bytes with the highest bit', new Uint8Array(1_000_000).fill(0xff)],
  ['a million zeros', new Uint8Array(1_000_000)],
]

describe('given bytes that ask for more than they are worth', () => {
  test.each(named(CODECS))(
    'when they are read as a kind (%s), then they end in a decode error',
    (_name, codec) => {
      for (const [, bomb] of BOMBS)
        for (const sample of codec.samples)
          for (const bytes of [
            bomb,
            joinBytes([sample.subarray(0, 1), bomb]),
            joinBytes([sample.subarray(0, 40), bomb]),
          ]) {
            const read = readAgain(codec, bytes)
            if (read instanceof Error) expect(faultOf(codec, bytes)).toBeUndefined()
          }
    },
  )

  test('when lists nest deeper than the limit, then they are refused, however deep', () => {
    expect(() => decodeRlp(nested(RLP_DEPTH_MAX))).not.toThrow()
    for (const depth of [RLP_DEPTH_MAX + 2, 1_000, 100_000])
      expect(() => decodeRlp(nested(depth))).toThrow(RlpError)
  })
})
