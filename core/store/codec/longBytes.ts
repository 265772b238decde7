import type { Steps } from '../../steps.ts'
import type { Writer } from './writer.ts'

/** Bytes copied between two yields: well below a millisecond. */
const COPIED_AT_ONCE_BYTES = 128 * 1024

/** True for byte strings that `writeBlobSteps` writes in several steps. */
export const isLong = (bytes: Uint8Array): boolean => bytes.length > COPIED_AT_ONCE_BYTES

/** As `Writer.blob`, in steps for long byte strings. */
export function* writeBlobSteps(writer: Writer, bytes: Uint8Array): Steps<void> {
  writer.varint(bytes.length)
  for (let at = 0; at < bytes.length; at += COPIED_AT_ONCE_BYTES) {
    if (at > 0) yield
    writer.raw(bytes.subarray(at, at + COPIED_AT_ONCE_BYTES))
  }
}
