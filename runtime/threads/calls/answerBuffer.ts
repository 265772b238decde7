/** Bytes of answer data per piece. Most answers are below 100 bytes; code and whole blocks take several pieces. */
const PIECE_BYTES = 128 * 1024

const HEADER_BYTES = 32
const STATE = 0
const LENGTH = 1
const PIECE = 2
/** Index of the number of the cancelled call. */
const CANCELLED = 3
const STOPPED = 4

const WAITING = 0

/** Outcome codes of a request. */
const ANSWERS = { found: 1, nothing: 2, moved: 3, failed: 4, pruned: 5 } as const
export type AnswerKind = keyof typeof ANSWERS
const KINDS = Object.keys(ANSWERS) as readonly AnswerKind[]

/**
 * `found` with the data, `nothing` if there is none, `moved` with the new head if the request was about an old one, `failed`
 * with the text of an error, `pruned` with what was removed (pruned.ts).
 */
export type Answer = { readonly kind: AnswerKind; readonly bytes: Uint8Array }

const EMPTY = new Uint8Array(0)
export const NOTHING: Answer = { kind: 'nothing', bytes: EMPTY }
export const found = (bytes: Uint8Array | undefined): Answer =>
  bytes === undefined ? NOTHING : { kind: 'found', bytes }

/** Interval between checks for a stop while a worker waits, ms. */
const STOP_CHECK_MS = 1000

/** Shared memory for answers: a blocked thread receives no messages. */
export const createAnswerBuffer = (): SharedArrayBuffer => new SharedArrayBuffer(HEADER_BYTES + PIECE_BYTES)

/** The main thread's side. */
export type AnswerWriter = {
  readonly write: (answer: Answer) => void
  /** Writes the next piece of the last answer. */
  readonly writeMore: () => void
  /** Cancels the call of that number. */
  readonly cancel: (call: number) => void
  /** Cancels any call and stops the worker. */
  readonly stop: () => void
}

export const createAnswerWriter = (buffer: SharedArrayBuffer): AnswerWriter => {
  const header = new Int32Array(buffer, 0, HEADER_BYTES / 4)
  const piece = new Uint8Array(buffer, HEADER_BYTES)
  let rest: Answer = NOTHING
  const writePiece = (total: number): void => {
    const now = rest.bytes.subarray(0, PIECE_BYTES)
    piece.set(now)
    rest = { kind: rest.kind, bytes: rest.bytes.subarray(now.length) }
    header[LENGTH] = total
    header[PIECE] = now.length
    Atomics.store(header, STATE, ANSWERS[rest.kind])
    Atomics.notify(header, STATE)
  }
  return {
    write: answer => {
      rest = answer
      writePiece(answer.bytes.length)
    },
    writeMore: () => writePiece(rest.bytes.length),
    cancel: call => {
      Atomics.store(header, CANCELLED, call)
    },
    stop: () => {
      Atomics.store(header, STOPPED, 1)
      Atomics.notify(header, STATE)
    },
  }
}

/** The call worker's side. */
export type AnswerReader = {
  /** Blocks the thread. @throws CallWorkerStopped */
  wait(askForMore: () => void): Answer
  /** Whether that call was cancelled. */
  isCancelled(call: number): boolean
}

export const createAnswerReader = (buffer: SharedArrayBuffer): AnswerReader => {
  const header = new Int32Array(buffer, 0, HEADER_BYTES / 4)
  const piece = new Uint8Array(buffer, HEADER_BYTES)
  const waitForPiece = (): AnswerKind => {
    for (;;) {
      const state = Atomics.load(header, STATE)
      if (state !== WAITING) return KINDS[state - 1] as AnswerKind
      if (Atomics.load(header, STOPPED) !== 0) throw new CallWorkerStopped()
      Atomics.wait(header, STATE, WAITING, STOP_CHECK_MS)
    }
  }
  return {
    wait: askForMore => {
      let kind = waitForPiece()
      const bytes = new Uint8Array(header[LENGTH] as number)
      let length = 0
      for (;;) {
        const size = header[PIECE] as number
        bytes.set(piece.subarray(0, size), length)
        length += size
        Atomics.store(header, STATE, WAITING)
        if (length >= bytes.length) return { kind, bytes }
        askForMore()
        kind = waitForPiece()
      }
    },
    isCancelled: call => Atomics.load(header, STOPPED) !== 0 || Atomics.load(header, CANCELLED) === call,
  }
}

/** The node stops this call worker. */
class CallWorkerStopped extends Error {
  override readonly name = 'CallWorkerStopped'
  readonly code = 'CALL_WORKER_STOPPED'
}
