import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { createFrameDecoder, encodeFrame, encodeLength } from '../../../p2p/transport/frames.ts'
import { patternOf } from '../networks.ts'

const decodeAll = (bytes: Uint8Array, pieces: number, bytesMax = 1 << 20): readonly Uint8Array[] => {
  const decoder = createFrameDecoder(bytesMax)
  const frames: Uint8Array[] = []
  for (let offset = 0; offset < bytes.length; offset += pieces) {
    decoder.push(bytes.subarray(offset, offset + pieces))
    for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) frames.push(frame)
  }
  expect(decoder.isEmpty).toBe(true)
  return frames
}

describe('given messages in a stream of bytes', () => {
  const messages = [patternOf(0), patternOf(1), patternOf(300), patternOf(200_000), patternOf(5)]
  const bytes = concatBytes(...messages.map(message => encodeFrame(message)))

  test.each([1, 2, 3, 7, 4096, 65_536, bytes.length])(
    'when they arrive in pieces of %i bytes, then all are decoded',
    pieces => {
      expect(decodeAll(bytes, pieces)).toEqual(messages)
    },
  )

  test('when one is encoded from parts, then the bytes are those of the whole one', () => {
    const whole = patternOf(100)
    expect(encodeFrame(whole.subarray(0, 30), whole.subarray(30))).toEqual(encodeFrame(whole))
  })

  test('when they are decoded, then they do not keep their input buffer alive', () => {
    const [frame] = decodeAll(
      concatBytes(encodeFrame(patternOf(10)), encodeFrame(patternOf(60_000))),
      100_000,
    )
    expect(frame?.buffer.byteLength).toBe(10)
  })

  test('when pending bytes are compacted anywhere, then the messages are the same', () => {
    for (let count = 0; count <= messages.length; count++) {
      const decoder = createFrameDecoder(1 << 20)
      for (let offset = 0; offset < bytes.length; offset += 1000)
        decoder.push(bytes.subarray(offset, offset + 1000))
      const taken = Array.from({ length: count }, () => decoder.next())
      decoder.compact()
      decoder.compact()
      for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) taken.push(frame)
      expect(taken).toEqual(messages)
      expect(decoder.isEmpty).toBe(true)
    }
    const decoder = createFrameDecoder(1 << 20)
    for (const byte of encodeFrame(patternOf(300))) {
      decoder.push(Uint8Array.of(byte))
      decoder.compact()
    }
    expect(decoder.next()).toEqual(patternOf(300))
  })

  test('when one has the largest size, then it is read; a larger one is refused by its length', () => {
    expect(decodeAll(encodeFrame(patternOf(100)), 10, 100).length).toBe(1)
    const decoder = createFrameDecoder(100)
    decoder.push(encodeLength(101))
    expect(() => decoder.next()).toThrow('a message of 101 bytes, where 100 are allowed')
  })
})
