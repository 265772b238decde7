import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE_BYTES = 8
/** Length, type and checksum of a chunk. */
const FRAME_BYTES = 12
/** Red, green and blue, a byte each: the format of screenshots. */
const RGB = 2
const PIXEL_BYTES = 3

type Chunk = { readonly type: string; readonly data: Buffer }

const chunksOf = (png: Buffer): readonly Chunk[] => {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at)
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += FRAME_BYTES + length
  }
  return chunks
}

const chunkBytes = ({ type, data }: Chunk): Buffer => {
  const bytes = Buffer.alloc(FRAME_BYTES + data.length)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, 'latin1')
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}

/** What the filter of a line predicts from the bytes to the left, above, and above to the left. */
const predicted = (filter: number, left: number, above: number, corner: number): number => {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  const estimate = left + above - corner
  const [a, b, c] = [left, above, corner].map(value => Math.abs(estimate - value)) as [number, number, number]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

/** Replaces the filters of the lines by none. */
const withoutFilters = (lines: Buffer, width: number): Buffer => {
  const lineBytes = 1 + width * PIXEL_BYTES
  const out = Buffer.alloc(lines.length)
  for (let start = 0; start < lines.length; start += lineBytes)
    for (let at = start + 1; at < start + lineBytes; at++) {
      const isFirst = at - start <= PIXEL_BYTES
      const left = isFirst ? 0 : (out[at - PIXEL_BYTES] as number)
      const above = out[at - lineBytes] ?? 0
      const corner = isFirst ? 0 : (out[at - lineBytes - PIXEL_BYTES] ?? 0)
      out[at] = (lines[at] as number) + predicted(lines[start] as number, left, above, corner)
    }
  return out
}

/** The same picture in fewer bytes: text on plain areas compresses better without the filters that the browser chooses. */
export const smallerPng = (png: Buffer): Buffer => {
  const chunks = chunksOf(png)
  const header = chunks.find(({ type }) => type === 'IHDR')?.data
  if (header?.[8] !== 8 || header[9] !== RGB || header[12] !== 0)
    throw new Error('the screenshot is not in plain RGB')
  const lines = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)),
  )
  const data = deflateSync(withoutFilters(lines, header.readUInt32BE(0)), { level: 9 })
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    ...[
      { type: 'IHDR', data: header },
      { type: 'IDAT', data },
      { type: 'IEND', data: Buffer.alloc(0) },
    ].map(chunkBytes),
  ])
}
