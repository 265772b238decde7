import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import {
  STREAMED_BLOCK_BYTES_MAX,
  type BlockBytes,
  nextBlockLength,
  splitBlocks,
} from '../../../../core/block/codec/blockStream.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { encodeRlp } from '../../../../core/rlp/rlp.ts'

const blocks = [0, 3, 60, 300, 70_000].map(length => encodeRlp([new Uint8Array(length).fill(1)]))
const file = concatBytes(...blocks)

const chunksOf = (bytes: Uint8Array, length: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  )

const collect = async (chunks: Iterable<Uint8Array>): Promise<BlockBytes[]> => {
  const found: BlockBytes[] = []
  for await (const block of splitBlocks(chunks)) found.push(block)
  return found
}

const failureOf = async (chunks: Iterable<Uint8Array>): Promise<string> => {
  try {
    await collect(chunks)
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError)
    return (error as DecodeError).message
  }
  throw new Error('the file was taken')
}

describe('given splitBlocks', () => {
  for (const length of [1, 2, 7, 64, 1000, file.length])
    test(`when chunks have ${length} bytes, then it finds every block`, async () => {
      const found = await collect(chunksOf(file, length))
      expect(found.map(block => block.bytes)).toEqual(blocks)
      expect(found.map(block => block.offset)).toEqual(
        blocks.map((_, index) => concatBytes(...blocks.slice(0, index)).length),
      )
    })

  test('when chunks are reused, then its copies stay', async () => {
    const chunk = file.slice()
    const found = await collect([chunk])
    chunk.fill(0)
    expect(found.map(block => block.bytes)).toEqual(blocks)
  })

  test('when chunks or the file are empty, then it skips them', async () => {
    expect(await collect([new Uint8Array(0), file, new Uint8Array(0)])).toHaveLength(blocks.length)
    expect(await collect([])).toEqual([])
  })

  test('when the file ends within a block, then the error names the offset', async () => {
    const end = file.length - (blocks.at(-1) as Uint8Array).length
    expect(await failureOf([file.subarray(0, -1)])).toContain(`the file ends within the block at byte ${end}`)
    expect(await failureOf([file.subarray(0, end + 1)])).toContain(`ends within the block at byte ${end}`)
  })

  test('when no block begins, then the error names the offset', async () => {
    const first = blocks[1] as Uint8Array
    expect(await failureOf([concatBytes(first, Uint8Array.of(0x41))])).toContain(
      `byte ${first.length}: a block must be an RLP list`,
    )
  })
})

describe('given nextBlockLength', () => {
  test('when it reads, then it needs the prefix only', () => {
    for (const block of blocks) expect(nextBlockLength(block.subarray(0, 9))).toBe(block.length)
    expect(nextBlockLength(new Uint8Array(0))).toBeUndefined()
    expect(nextBlockLength(Uint8Array.of(0xf9, 1))).toBeUndefined()
  })

  test('when no block has the length, then it is refused', () => {
    expect(() => nextBlockLength(Uint8Array.of(0xff, 255, 255, 255, 255, 255, 255, 255, 255))).toThrow(
      'is longer than',
    )
    expect(STREAMED_BLOCK_BYTES_MAX).toBeGreaterThan(16 * 1024 * 1024)
  })
})
