import type { StrangersBudget } from '../../transport/strangersBudget.ts'
import type { Frame } from '../rlpx/frames.ts'
import type { Session } from './session.ts'

/** Price of what is read in one turn of the event loop: about a millisecond, after which validators are read. */
const TURN_PRICE = 128 * 1024
/** Pause of a node that has used up its share and finds that of all used up: its keep-alive messages still arrive. */
const PAUSE_MS_MIN = 50
const PAUSE_MS_MAX = 2_000

export type StrangersReaderOptions = {
  readonly budget: StrangersBudget
  readonly onNextTurn: (run: () => void) => void
  /** What the work for a frame costs; its own bytes are charged as they arrive. */
  readonly priceOf: (session: Session, frame: Frame) => number
  /** Handles a frame; must not throw. */
  readonly onFrame: (session: Session, frame: Frame) => void
  /** Called when nothing that follows can be decrypted. */
  readonly onBroken: (session: Session, cause: unknown) => void
}

/**
 * Reads what nodes send that are no validators: in turns, one of them in a turn of the event loop, after what validators sent was
 * read, and within one budget for all of them. A node that has data waiting is not read from.
 */
export type StrangersReader = {
  arrived(session: Session, data: Uint8Array): void
  /** True while data of the connection waits here: what follows comes after it. */
  isReading(session: Session): boolean
  /** An answer that this node asked for is not paid for by the node that gives it. */
  asked(session: Session, bytes: number): void
}

/** What arrived from one node and is not read. */
type Unread = {
  readonly session: Session
  readonly chunks: Uint8Array[]
  /** A frame that waits for the budget. */
  waiting: Frame | undefined
  readonly release: () => void
}

/** Reads a part, and returns the milliseconds for which to read nothing more. */
const readSome = ({ budget, priceOf, onFrame }: StrangersReaderOptions, unread: Unread): number => {
  const { session, chunks } = unread
  let spent = 0
  const handle = (frame: Frame): boolean => {
    const price = priceOf(session, frame)
    const waitMs = budget.pay(session.id, price)
    unread.waiting = waitMs > 0 ? frame : undefined
    if (waitMs > 0) return false
    spent += price
    onFrame(session, frame)
    return spent < TURN_PRICE && session.stage !== 'closing'
  }
  const { waiting } = unread
  if (waiting !== undefined && !handle(waiting) && unread.waiting !== undefined) return PAUSE_MS_MIN
  const [chunk] = chunks
  if (chunk === undefined) return 0
  const read = session.reader.push(chunk, handle)
  if (read < chunk.length) chunks[0] = chunk.subarray(read)
  else chunks.shift()
  const debtMs = budget.charge(session.id, read)
  return unread.waiting === undefined ? debtMs : Math.max(debtMs, PAUSE_MS_MIN)
}

export const createStrangersReader = (options: StrangersReaderOptions): StrangersReader => {
  /** At most one of each connection. */
  const bySession = new Map<Session, Unread>()
  let queue: Unread[] = []
  let isDue = false

  const finish = (unread: Unread): void => {
    bySession.delete(unread.session)
    unread.release()
  }

  const enqueue = (unread: Unread): void => {
    queue.push(unread)
    if (isDue) return
    isDue = true
    options.onNextTurn(turn)
  }

  const readNext = (unread: Unread): void => {
    const { session, chunks } = unread
    if (session.socket.destroyed) return finish(unread)
    let pauseMs: number
    try {
      pauseMs = readSome(options, unread)
    } catch (cause) {
      options.onBroken(session, cause)
      return finish(unread)
    }
    if (pauseMs > 0)
      setTimeout(
        () => (session.socket.destroyed ? finish(unread) : enqueue(unread)),
        Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, pauseMs)),
      )
    else if (chunks.length > 0 || unread.waiting !== undefined) enqueue(unread)
    else finish(unread)
  }

  const turn = (): void => {
    isDue = false
    const [next, ...rest] = queue
    queue = rest
    if (next !== undefined) readNext(next)
    if (queue.length === 0 || isDue) return
    isDue = true
    options.onNextTurn(turn)
  }

  return {
    isReading: session => bySession.has(session),
    asked: ({ id }, bytes) => options.budget.refund(id, bytes),
    arrived: (session, data) => {
      const known = bySession.get(session)
      if (known !== undefined) return void known.chunks.push(data)
      const unread: Unread = { session, chunks: [data], waiting: undefined, release: session.gate.hold() }
      bySession.set(session, unread)
      enqueue(unread)
    },
  }
}
