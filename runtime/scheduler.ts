import { setImmediate } from 'node:timers'
import type { YieldTurn } from '../p2p/yieldTurn.ts'

/** Time slice of long work in one turn of the event loop: requests and consensus messages wait no longer. */
const SLICE_MS = 2

/** A turn of which short steps have used less than this is shared with the next waiting step. */
const SHARED_MS = 1

type Waiting = { readonly isExclusive: boolean; readonly resume: () => void }

type Turn = {
  /** When the sliced work of this turn began; undefined before it has. */
  startedMs: number | undefined
  /** What resumed in this turn: after an exclusive step nothing else does. */
  resumed: 'nothing' | 'short steps' | 'exclusive step'
  /** Whether the end of the turn is noticed. */
  isEndDue: boolean
}

const waiting: Waiting[] = []
const turn: Turn = { startedMs: undefined, resumed: 'nothing', isEndDue: false }

const startTurn = (): void => {
  turn.isEndDue = false
  turn.resumed = 'nothing'
  turn.startedMs = undefined
}

/** Called before anything that waits for the next turn. */
const awaitNextTurn = (): void => {
  if (turn.isEndDue) return
  turn.isEndDue = true
  setImmediate(startTurn)
}

const noteStart = (): void => {
  turn.startedMs ??= performance.now()
  awaitNextTurn()
}

const hasUsed = (ms: number): boolean =>
  turn.startedMs !== undefined && performance.now() - turn.startedMs >= ms

/** Each turn resumes at least one step, whatever else has run in it. */
const mayResume = ({ isExclusive }: Waiting): boolean =>
  turn.resumed === 'nothing' || (turn.resumed === 'short steps' && !isExclusive && !hasUsed(SHARED_MS))

const resumeNext = (): void => {
  const [next] = waiting
  if (next === undefined) return
  if (!mayResume(next)) {
    awaitNextTurn()
    setImmediate(resumeNext)
    return
  }
  waiting.shift()
  noteStart()
  turn.resumed = next.isExclusive ? 'exclusive step' : 'short steps'
  next.resume()
}

const waitForTurn = (isExclusive: boolean): Promise<void> =>
  new Promise(resume => {
    waiting.push({ isExclusive, resume })
    awaitNextTurn()
    setImmediate(resumeNext)
  })

/**
 * Resolves in a later turn of the event loop, in which nothing else that waits here resumes: several kinds of long work in one
 * turn, such as a verified block and a flush of the views, would block everything else for their total time. First come,
 * first served.
 */
export const nextTurn: YieldTurn = () => waitForTurn(true)

/** True if long work should yield: other work has not had a turn for the length of a slice. */
export const isSliceOver = (): boolean => turn.startedMs === undefined || hasUsed(SLICE_MS)

/**
 * Starts a time slice. The returned function is called between the steps of long work, because a promise may resolve without a
 * turn of the event loop; it waits for the next turn if the slice is over. Other work in the same turn counts, as one kind of
 * work often leads to the next. Short steps share a turn: on a busy machine turns are long.
 */
export const createYield = (): YieldTurn => {
  noteStart()
  return async () => {
    // Without a known start this turn may have begun long ago.
    if (isSliceOver()) await waitForTurn(false)
  }
}
