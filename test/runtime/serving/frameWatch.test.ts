import { expect, test } from 'bun:test'
import { createFrameWatch } from '../../../runtime/serving/frameWatch.ts'

type Frame = {
  readonly opcode?: number
  readonly length: number
  readonly isMasked?: boolean
  readonly isLast?: boolean
}

const bytesOf = ({ opcode = 1, length, isMasked = true, isLast = true }: Frame): readonly number[] => {
  const mask = isMasked ? 0x80 : 0
  const long = new DataView(new ArrayBuffer(8))
  long.setBigUint64(0, BigInt(length))
  const lengthBytes =
    length < 126
      ? [mask | length]
      : length < 65_536
        ? [mask | 126, length >> 8, length & 0xff]
        : [mask | 127, ...new Uint8Array(long.buffer)]
  return [
    (isLast ? 0x80 : 0) | opcode,
    ...lengthBytes,
    ...(isMasked ? [1, 2, 3, 4] : []),
    ...new Uint8Array(length).fill(0xff),
  ]
}

const CASES: readonly (readonly [name: string, frames: readonly Frame[], messages: readonly number[]])[] = [
  ['one after the other', [{ length: 200 }, { length: 201 }], [1, 1]],
  ['that are empty', [{ length: 0 }, { length: 0, isMasked: false }, { length: 3 }], [1, 1, 1]],
  ['of each form of length', [125, 126, 65_535, 65_536].map(length => ({ length })), [1, 1, 1, 1]],
  [
    'of messages in several',
    [
      { length: 9, isLast: false },
      { opcode: 0, length: 8, isLast: false },
      { opcode: 0, length: 7 },
      { length: 6 },
    ],
    [3, 1],
  ],
  [
    'with control between them',
    [
      { length: 200, isLast: false },
      { opcode: 9, length: 125 },
      { opcode: 0, length: 200 },
    ],
    [2],
  ],
  ['without a mask', [{ length: 201, isMasked: false }, { length: 5 }], [1, 1]],
]

test.each(CASES)(
  'given frames %s, however they come, then each is seen, and how many a message has',
  (_, frames, messages) => {
    const bytes = Uint8Array.from(frames.flatMap(bytesOf))
    const lengths = frames.filter(({ opcode = 1 }) => opcode < 8).map(({ length }) => length)
    for (const chunk of [1, 2, 7, 1000, bytes.length]) {
      const seen: number[] = []
      const counted: number[] = []
      const parts: number[] = []
      const watch = createFrameWatch({
        onPart: length => parts.push(length),
        onFrame: length => seen.push(length),
        onLastFrame: count => counted.push(count),
      })
      for (let at = 0; at < bytes.length; at += chunk) watch(bytes.subarray(at, at + chunk))
      expect([seen, counted]).toEqual([lengths, [...messages]])
      // All but the messages of one frame.
      expect(parts).toHaveLength(frames.length - messages.filter(count => count === 1).length)
    }
  },
)

test('given the header of a frame, when it is there, then nothing of the rest is waited for', () => {
  const seen: number[] = []
  const watch = createFrameWatch({
    onPart: () => undefined,
    onFrame: length => seen.push(length),
    onLastFrame: () => undefined,
  })
  watch(Uint8Array.from([0x81, 0x80 | 127, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]))
  expect(seen).toEqual([2 ** 32 - 1])
})
