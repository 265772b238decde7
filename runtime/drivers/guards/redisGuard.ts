import { ANSWER_BYTES_MAX, ANSWER_ITEMS_MAX, AnswerRefused, VALUE_BYTES_MAX } from './answerLimits.ts'
import type { Guard } from './guardStream.ts'

/** Longest line: a status, an error or a number. INFO is a value. */
const LINE_BYTES_MAX = 64 * 1024
/** Nested lists: a script in a transaction in a list has three. */
const DEPTH_MAX = 8
/** Characters of a line that are read: a type and a length. */
const HEADER_LENGTH_MAX = 24

const LINE_END = 10
const VALUE_END_BYTES = 2
const ASCII = new TextDecoder('latin1')

/** The reply in progress. */
type State = {
  /** Bytes of the current value that are still to come, with its end. */
  left: number
  header: string
  lineBytes: number
  replyBytes: number
  items: number
  /** Items that each open list lacks. */
  readonly open: number[]
}

const endItem = (state: State): void => {
  const { open } = state
  while (open.length > 0) {
    const left = (open.at(-1) as number) - 1
    open[open.length - 1] = left
    if (left > 0) return
    open.pop()
  }
  state.replyBytes = 0
  state.items = 0
}

const beginList = (state: State, count: number): void => {
  if (count <= 0) {
    endItem(state)
    return
  }
  state.items += count
  if (state.items > ANSWER_ITEMS_MAX) throw new AnswerRefused(`it has more than ${ANSWER_ITEMS_MAX} items`)
  if (state.open.length >= DEPTH_MAX) throw new AnswerRefused(`it nests deeper than ${DEPTH_MAX} levels`)
  state.open.push(count)
}

const beginValue = (state: State, length: number): void => {
  if (length < 0) {
    endItem(state)
    return
  }
  if (length > VALUE_BYTES_MAX)
    throw new AnswerRefused(`it has a value of ${length} bytes, more than ${VALUE_BYTES_MAX}`)
  requireShort(state, length)
  state.left = length + VALUE_END_BYTES
}

const requireShort = ({ replyBytes }: State, more: number): void => {
  if (replyBytes + more > ANSWER_BYTES_MAX)
    throw new AnswerRefused(`it is longer than ${ANSWER_BYTES_MAX} bytes`)
}

const endLine = (state: State): void => {
  const { header } = state
  state.header = ''
  state.lineBytes = 0
  const type = header[0]
  if (type === '+' || type === '-' || type === ':') {
    endItem(state)
    return
  }
  const length = /^[$*](-1|\d{1,15})\r\n$/.exec(header)?.[1]
  if (length === undefined) throw new AnswerRefused('it is not of the protocol of Redis')
  if (type === '*') beginList(state, Number(length))
  else beginValue(state, Number(length))
}

/** Reads a part of a line; returns the position after it. */
const readLine = (state: State, chunk: Uint8Array, at: number): number => {
  const end = chunk.indexOf(LINE_END, at)
  const stop = end < 0 ? chunk.length : end + 1
  const missing = HEADER_LENGTH_MAX - state.header.length
  if (missing > 0) state.header += ASCII.decode(chunk.subarray(at, Math.min(stop, at + missing)))
  state.lineBytes += stop - at
  if (state.lineBytes > LINE_BYTES_MAX)
    throw new AnswerRefused(`it has a line of more than ${LINE_BYTES_MAX} bytes`)
  requireShort(state, stop - at)
  state.replyBytes += stop - at
  if (end >= 0) endLine(state)
  return stop
}

/** Bounds the replies of a server of RESP2: of each value, list and line, of their nesting, and of a reply as a whole. */
export const createRedisGuard = (): Guard => {
  const state: State = { left: 0, header: '', lineBytes: 0, replyBytes: 0, items: 0, open: [] }
  return chunk => {
    for (let at = 0; at < chunk.length; ) {
      if (state.left === 0) {
        at = readLine(state, chunk, at)
        continue
      }
      const taken = Math.min(state.left, chunk.length - at)
      state.left -= taken
      state.replyBytes += taken
      at += taken
      if (state.left === 0) endItem(state)
    }
  }
}
