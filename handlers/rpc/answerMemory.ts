import type { ReplyBody } from './dispatch/envelope.ts'
import { pieceLength } from './json/jsonPieces.ts'

/** Long answers that are being sent to all clients, and those that running calls may become: half of what a node may grow. */
export const ANSWERS_BYTES_MAX = 256 * 1024 * 1024

/** What one running call may become: the limit of a trace. */
export const RUN_BYTES = 64 * 1024 * 1024

/** Shorter answers are not counted: the number of connections bounds them. */
const SHORT_BYTES = 256 * 1024

/** Counts the memory of long answers: clients decide how long they take to read them. */
export type AnswerMemory = {
  /** Counts an answer until the returned function is called. */
  hold(body: ReplyBody): () => void
  /** True where as many more running calls with long answers have room. One always has where nothing is held. */
  readonly hasRoom: (runs: number) => boolean
  /** True where so much is held that no call with a long answer may begin, on any thread. */
  readonly isFull: () => boolean
}

/** Searches of logs go on while traces wait already: readers that stop must not keep others from them soon. */
const FULL = 2

const NOTHING = (): void => undefined

const lengthOf = (body: ReplyBody): number =>
  typeof body === 'string' ? body.length : body.reduce((sum, piece) => sum + pieceLength(piece), 0)

export const createAnswerMemory = (bytesMax = ANSWERS_BYTES_MAX): AnswerMemory => {
  let heldBytes = 0
  return {
    hold: body => {
      const length = lengthOf(body)
      if (length <= SHORT_BYTES) return NOTHING
      heldBytes += length
      let isHeld = true
      return () => {
        if (isHeld) heldBytes -= length
        isHeld = false
      }
    },
    isFull: () => heldBytes > FULL * bytesMax,
    hasRoom: runs => heldBytes + runs * RUN_BYTES <= bytesMax || (heldBytes === 0 && runs <= 1),
  }
}

/** Methods of the main thread whose answers may have many megabytes. */
const LONG_ANSWERS = /^(?:eth_get(?:Logs|FilterLogs|FilterChanges|BlockReceipts)|txpool_|debug_|trace_)/

export const mayAnswerLong = (method: string): boolean => LONG_ANSWERS.test(method)
