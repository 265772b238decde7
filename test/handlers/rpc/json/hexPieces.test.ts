import { expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { hexPieces } from '../../../../handlers/rpc/json/hexPieces.ts'
import { jsonOf, pieceLength, pieceText } from '../../../../handlers/rpc/json/jsonPieces.ts'

test.each([0, 1, 65_536, 65_537, 1_000_000])(
  'given %i bytes, when they are written as JSON, then the digits are all there',
  size => {
    const bytes = Uint8Array.from({ length: size }, (_, index) => index * 7)
    const pieces = jsonOf(hexPieces(bytes))
    expect(pieces.map(pieceText).join('')).toBe(`"${toHex(bytes)}"`)
    expect(Math.max(...pieces.map(pieceLength))).toBeLessThanOrEqual(2 * 65_536 + 4)
  },
)
