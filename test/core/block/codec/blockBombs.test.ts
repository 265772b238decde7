import { expect, test } from 'bun:test'
import { decodeBlock } from '../../../../core/block/codec/block.ts'
import { encodeHeader } from '../../../../core/block/codec/header.ts'
import { DecodeError } from '../../../../core/block/codec/error.ts'
import { joinRlpList } from '../../../../core/rlp/list.ts'
import { encodeRlp } from '../../../../core/rlp/rlp.ts'
import { BLOCK } from '../../qbft/codec/messages.ts'

const EMPTY = Uint8Array.of(0xc0)
const HEADER = encodeHeader(BLOCK.header)
const MEBIBYTES = 1024 * 1024

/** A list of that many bytes, each of which is this one. */
const listOf = (length: number, byte: number): Uint8Array => joinRlpList([new Uint8Array(length).fill(byte)])

const refusal = (...parts: readonly Uint8Array[]): string => {
  // The copies made for the previous block.
  Bun.gc(true)
  try {
    decodeBlock(joinRlpList(parts))
    return 'none'
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError)
    return (error as Error).message
  }
}

// Decoded before a check, 16 MB of items of one byte would become more than a gigabyte of objects.
test.each([0x01, 0x80, 0xc0])(
  'given 16 MB of items 0x%s in any place, when they are decoded, then the first is refused',
  byte => {
    Bun.gc(true)
    const before = process.memoryUsage().rss
    const bomb = listOf(16 * MEBIBYTES, byte)
    expect(refusal(bomb, EMPTY, EMPTY)).toContain('items')
    expect(refusal(HEADER, bomb, EMPTY)).toContain('transaction 0')
    expect(refusal(HEADER, EMPTY, bomb)).not.toBe('none')
    expect(refusal(HEADER, EMPTY, EMPTY, bomb)).not.toBe('none')
    expect(refusal(HEADER, joinRlpList([bomb]), EMPTY)).toContain('transaction 0')
    const typed = new Uint8Array(1 + bomb.length)
    typed[0] = 2
    typed.set(bomb, 1)
    expect(refusal(HEADER, joinRlpList([encodeRlp(typed)]), EMPTY)).toContain('items')
    // Copies of the bytes of the blocks themselves, not of their items.
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * MEBIBYTES)
  },
)
