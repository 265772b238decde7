import { hasRequestTimers } from './requestTimers.ts'

/** Bytes that all bodies together decode in one turn of the event loop: a millisecond or two. */
const TURN_BYTES = 1024 * 1024

type Waiting = { readonly bytes: number; readonly resume: () => void }

/** Web workers have no setImmediate. */
const onNextTurn: (run: () => void) => void =
  typeof setImmediate === 'function' ? run => void setImmediate(run) : run => void setTimeout(run, 0)

/** Chunks that wait for a turn: one for each body that is being read, whose number and memory are limited. */
const waiting: Waiting[] = []
const turn = { bytes: 0, isEndDue: false }

const startTurn = (): void => {
  turn.bytes = 0
  turn.isEndDue = false
  while (turn.bytes < TURN_BYTES) {
    const next = waiting.shift()
    if (next === undefined) return
    count(next.bytes)
    next.resume()
  }
}

const count = (bytes: number): void => {
  turn.bytes += bytes
  if (turn.isEndDue) return
  turn.isEndDue = true
  onNextTurn(startTurn)
}

/**
 * Awaited before a chunk of a body is decoded; undefined when it may be decoded at once. Many long bodies that arrive together
 * would otherwise hold the event loop for the time of all.
 */
export const paceChunk = (bytes: number): Promise<void> | undefined => {
  if (hasRequestTimers()) return undefined
  if (waiting.length === 0 && turn.bytes < TURN_BYTES) {
    count(bytes)
    return undefined
  }
  return new Promise(resume => waiting.push({ bytes, resume }))
}
