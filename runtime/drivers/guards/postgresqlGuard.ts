import { ANSWER_BYTES_MAX, AnswerRefused, VALUE_BYTES_MAX } from './answerLimits.ts'
import type { Guard } from './guardStream.ts'

/** A value is sent in hex. */
const HEX_FACTOR = 2
const ROW_MESSAGE_BYTES_MAX = HEX_FACTOR * VALUE_BYTES_MAX + 4096
const RESULT_BYTES_MAX = HEX_FACTOR * ANSWER_BYTES_MAX
/** Memory of a message besides its bytes: a short row is an object with its values. */
const MESSAGE_COST = 512
/** The type of a message and its length, which counts itself. */
const HEADER_BYTES = 5
const LENGTH_BYTES = 4
/** ReadyForQuery: the end of a result. */
const READY = 0x5a

/** Bounds the messages of a server that speaks PostgreSQL's protocol, and those up to the end of a result as a whole. */
export const createPostgresqlGuard = (): Guard => {
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  let headerBytes = 0
  /** Bytes of the current message that are still to come. */
  let left = 0
  let resultBytes = 0
  const begin = (): void => {
    const length = view.getUint32(1)
    if (length < LENGTH_BYTES) throw new AnswerRefused('it is not of the protocol of PostgreSQL')
    if (length > ROW_MESSAGE_BYTES_MAX)
      throw new AnswerRefused(`it has a message of ${length} bytes, more than ${ROW_MESSAGE_BYTES_MAX}`)
    resultBytes = header[0] === READY ? 0 : resultBytes + length + MESSAGE_COST
    if (resultBytes > RESULT_BYTES_MAX) throw new AnswerRefused(`it is longer than ${RESULT_BYTES_MAX} bytes`)
    left = length - LENGTH_BYTES
    headerBytes = 0
  }
  return chunk => {
    for (let at = 0; at < chunk.length; ) {
      if (left > 0) {
        const taken = Math.min(left, chunk.length - at)
        left -= taken
        at += taken
        continue
      }
      header[headerBytes++] = chunk[at++] as number
      if (headerBytes === HEADER_BYTES) begin()
    }
  }
}
