import { concatBytes, equalBytes, type Hash } from '../../bytes/bytes.ts'
import { keccak256Steps } from '../../crypto/keccakSteps.ts'
import { runSteps, type Steps } from '../../steps.ts'

/** One part of a snapshot file: kind, length, payload, and the start of a checksum over all frames so far. */
export type SnapshotFrame = { readonly kind: FrameKind; readonly payload: Uint8Array }

export type FrameKind = 'header' | 'block' | 'end'

const CODES: Readonly<Record<FrameKind, number>> = { header: 1, block: 2, end: 3 }
const KINDS = new Map(Object.entries(CODES).map(([kind, code]) => [code, kind as FrameKind]))

const HEAD_BYTES = 5
const CHECKSUM_BYTES = 8

/**
 * Longest payloads: a header has some hundred bytes, and a block, with its receipts and state changes, some ten times what its
 * gas pays for. A reader keeps one payload in memory, so a longer one is refused before it is read.
 */
const PAYLOAD_BYTES_MAX: Readonly<Record<FrameKind, number>> = {
  header: 4 * 1024,
  block: 256 * 1024 * 1024,
  end: 0,
}

/** The first bytes of every snapshot file. */
export const MAGIC: Uint8Array = new TextEncoder().encode('Quorate snapshot\n')

/** The snapshot file is incomplete or damaged. */
export class SnapshotDamaged extends Error {
  override readonly name = 'SnapshotDamaged'
  readonly code = 'SNAPSHOT_DAMAGED'
}

const headOf = (kind: FrameKind, length: number): Uint8Array => {
  const head = new Uint8Array(HEAD_BYTES)
  head[0] = CODES[kind]
  new DataView(head.buffer).setUint32(1, length)
  return head
}

const NO_FRAMES: Hash = new Uint8Array(32)

/** Encodes the frames of a file in their order: each checksum covers the frames before. Yields within a long one. */
export const createFrameWriter = (): ((frame: SnapshotFrame) => Steps<readonly Uint8Array[]>) => {
  let chained = NO_FRAMES
  return function* ({ kind, payload }) {
    const head = headOf(kind, payload.length)
    chained = yield* keccak256Steps(chained, head, payload)
    return [head, payload, chained.subarray(0, CHECKSUM_BYTES)]
  }
}

/** Cuts a stream of chunks into lengths, with one frame in memory at a time. */
const createCutter = (chunks: AsyncIterable<Uint8Array>) => {
  const iterator = chunks[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array(0)
  let offset = 0
  return {
    offset: () => offset,
    take: async (length: number): Promise<Uint8Array> => {
      const parts: Uint8Array[] = [rest]
      let held = rest.length
      while (held < length) {
        const next = await iterator.next()
        if (next.done === true)
          throw new SnapshotDamaged(
            offset + held === 0
              ? 'it is empty'
              : `it ends at byte ${offset + held}, in the middle: it was cut off`,
          )
        parts.push(next.value)
        held += next.value.length
      }
      const all = parts.length === 1 ? rest : concatBytes(...parts)
      rest = all.subarray(length)
      offset += length
      return all.subarray(0, length)
    },
    isAtEnd: async (): Promise<boolean> => {
      if (rest.length > 0) return false
      for (;;) {
        const next = await iterator.next()
        if (next.done === true) return true
        if (next.value.length > 0) return false
      }
    },
  }
}

/** The frames of a snapshot file, each verified, up to its end. @throws SnapshotDamaged */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SnapshotFrame> {
  const cutter = createCutter(chunks)
  if (!equalBytes(await cutter.take(MAGIC.length), MAGIC)) throw new SnapshotDamaged('it is not a snapshot')
  let chained = NO_FRAMES
  for (;;) {
    const at = cutter.offset()
    const head = (await cutter.take(HEAD_BYTES)).slice()
    const kind = KINDS.get(head[0] as number)
    const length = new DataView(head.buffer).getUint32(1)
    if (kind === undefined)
      throw new SnapshotDamaged(`the part at byte ${at} has no valid head: the file was altered`)
    if (length > PAYLOAD_BYTES_MAX[kind])
      throw new SnapshotDamaged(
        `the part at byte ${at} is longer than a part of its kind may be: the file was altered`,
      )
    const payload = await cutter.take(length)
    chained = runSteps(keccak256Steps(chained, head, payload))
    if (!equalBytes(await cutter.take(CHECKSUM_BYTES), chained.subarray(0, CHECKSUM_BYTES)))
      throw new SnapshotDamaged(`the checksum of the part at byte ${at} does not match: the file was altered`)
    // Before it is delivered: a reader stops at the end.
    if (kind === 'end' && !(await cutter.isAtEnd()))
      throw new SnapshotDamaged(`bytes follow its end at byte ${cutter.offset()}`)
    yield { kind, payload }
    if (kind === 'end') return
  }
}
