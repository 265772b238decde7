import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { runSteps } from '../../../../core/steps.ts'
import {
  createFrameWriter,
  MAGIC,
  readFrames,
  type SnapshotFrame,
} from '../../../../core/store/snapshot/frames.ts'
import { decodeSnapshotHeader } from '../../../../core/store/snapshot/header.ts'
import { rejection } from '../../../support/rejection.ts'

const FRAMES: readonly SnapshotFrame[] = [
  { kind: 'header', payload: new TextEncoder().encode('{}') },
  { kind: 'block', payload: new Uint8Array(200_000).fill(7) },
  { kind: 'end', payload: new Uint8Array(0) },
]

const fileOf = (frames: readonly SnapshotFrame[]): Uint8Array => {
  const encode = createFrameWriter()
  return concatBytes(MAGIC, ...frames.flatMap(frame => runSteps(encode(frame))))
}

/** The frames of the file until a reader stops after the end, as a restore does. */
const read = async (...chunks: readonly Uint8Array[]): Promise<readonly SnapshotFrame[]> => {
  const frames: SnapshotFrame[] = []
  const stream = (async function* () {
    yield* chunks
  })()
  for await (const { kind, payload } of readFrames(stream)) {
    frames.push({ kind, payload: payload.slice() })
    if (kind === 'end') break
  }
  return frames
}

describe('given the frames of a snapshot', () => {
  test('when they come in chunks of any length, then they are read as they were written', async () => {
    const file = fileOf(FRAMES)
    for (const length of [1_000, 65_536, file.length]) {
      const chunks = Array.from({ length: Math.ceil(file.length / length) }, (_, index) =>
        file.subarray(index * length, (index + 1) * length),
      )
      expect(await read(...chunks)).toEqual([...FRAMES])
    }
  })

  test('when bytes follow the end, then they are refused before the end is delivered', async () => {
    const file = fileOf(FRAMES)
    for (const more of [[concatBytes(file, Uint8Array.of(0))], [file, new Uint8Array(0), Uint8Array.of(1)]])
      expect(String(await rejection(read(...more)))).toContain(`bytes follow its end at byte ${file.length}`)
  })

  test.each([
    ['header', 4 * 1024],
    ['block', 256 * 1024 * 1024],
    ['end', 0],
  ] as const)(
    'when the %s has more bytes than it may, then its length alone refuses it',
    async (kind, most) => {
      const head = fileOf([{ kind, payload: new Uint8Array(0) }]).slice(0, MAGIC.length + 5)
      const length = new DataView(head.buffer, MAGIC.length + 1)
      length.setUint32(0, most + 1)
      expect(String(await rejection(read(head)))).toContain(`is longer than a part of its kind may be`)
      length.setUint32(0, most)
      expect(String(await rejection(read(head)))).toContain('it was cut off')
    },
  )
})

describe('given the header of a snapshot', () => {
  const reasonFor = (header: unknown): string => {
    try {
      decodeSnapshotHeader(new TextEncoder().encode(JSON.stringify(header)))
      return ''
    } catch (error) {
      return String(error)
    }
  }

  test('when it is no header of any release, then it is not valid', () => {
    const versions = [{}, 1.5, -1, '\u001b[31m', [1]].map(version => ({ version }))
    for (const header of [null, 5, 'text', [], {}, ...versions])
      expect([header, reasonFor(header)]).toEqual([header, 'SnapshotDamaged: its header is not valid'])
  })

  test('when its version is a later one, then that is said', () => {
    expect(reasonFor({ version: 2 })).toContain('its version is 2, this program reads 1')
  })
})
