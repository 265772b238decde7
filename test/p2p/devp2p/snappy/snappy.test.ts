import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { compressSnappy } from '../../../../p2p/devp2p/snappy/compress.ts'
import { decompressSnappy } from '../../../../p2p/devp2p/snappy/decompress.ts'
import { SnappyError } from '../../../../p2p/devp2p/snappy/error.ts'
import { seededRandom } from '../../../support/random.ts'

const MAX = 16 * 1024 * 1024

const inputs = (): readonly Uint8Array[] => {
  const repeated = new Uint8Array(200_000).map((_, at) => (at >> 5) & 255)
  const mixed = new Uint8Array(150_000)
  for (let at = 0; at < mixed.length; at += 100)
    mixed.set(at % 300 === 0 ? randomBytes(60) : new Uint8Array(60).fill(at), at)
  return [0, 1, 3, 4, 5, 59, 60, 61, 255, 256, 257, 65_535, 65_536, 65_537, 200_000]
    .flatMap(length => [
      new Uint8Array(length),
      new Uint8Array(randomBytes(length)),
      repeated.slice(0, length),
    ])
    .concat([mixed])
}

describe('given snappy', () => {
  test('when blocks of the format are inflated, then the result is known', () => {
    // As go-ethereum's library writes them: a short literal, a literal and a copy that overlaps itself.
    expect(toHex(decompressSnappy(fromHex('0508c1c2c304c4c5'), MAX))).toBe('0xc1c2c3c4c5')
    expect(toHex(decompressSnappy(fromHex('0a00aa220100'), MAX))).toBe(`0x${'aa'.repeat(10)}`)
  })

  test('when data are compressed and inflated, then they are the same', () => {
    for (const input of inputs()) expect(decompressSnappy(compressSnappy(input), MAX)).toEqual(input)
  })

  test('when bytes repeat, then they get shorter', () => {
    expect(compressSnappy(new Uint8Array(100_000)).length).toBeLessThan(6_000)
  })

  test('when the claimed length exceeds the limit, then it is refused before inflation', () => {
    expect(() => decompressSnappy(fromHex('ffffff7f00'), MAX)).toThrow('of 16777216 at most')
  })

  test('when so few bytes cannot have the claimed length, then it is refused', () => {
    expect(() => decompressSnappy(fromHex('8080400000'), MAX)).toThrow('more than it can inflate to')
  })

  test.each([
    ['nothing', ''],
    ['a length without an end', 'ffffffffffff'],
    ['a literal that is cut off', '0508c1'],
    ['a block that ends early', '0508c1c2c3'],
    ['more than the claimed length', '0208c1c2c3'],
    ['a copy from before the start', '0500aa220900'],
    ['a copy with offset 0', '0500aa220000'],
  ])('when it is %s, then it is refused', (_, block) => {
    expect(() => decompressSnappy(fromHex(block), MAX)).toThrow(SnappyError)
  })

  test('when any bytes arrive, then they inflate within the limit or are refused', () => {
    const random = seededRandom(7)
    const valid = compressSnappy(new Uint8Array(5000).map((_, at) => at % 97))
    for (let run = 0; run < 5000; run++) {
      const bytes = run % 2 === 0 ? valid.slice() : new Uint8Array(randomBytes(1 + (run % 60)))
      bytes[random.below(bytes.length)] = random.below(256)
      try {
        expect(decompressSnappy(bytes, 10_000).length).toBeLessThanOrEqual(10_000)
      } catch (error) {
        if (!(error instanceof SnappyError)) throw error
      }
    }
  })
})
