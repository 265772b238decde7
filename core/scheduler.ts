/**
 * Shares each turn of the event loop among pieces of long work. A limit for each piece alone would not bound a turn: a hundred
 * that become ready together would each take their slice of the same turn, and all other input would wait for all of them.
 */

/** Runs a function in the next turn of the event loop, after the input that has arrived was read. */
export type OnNextTurn = (run: () => void) => void

/** Called between the steps of long work. Undefined while the slice lasts; otherwise resolves in a later turn. */
export type YieldTurn = () => Promise<void> | undefined

/** Starts the time slice of a long operation. */
export type CreateYield = () => YieldTurn

export type Scheduler = {
  /** Awaited before a piece of work starts; undefined where it may start at once. In order of arrival. */
  readonly begin: () => Promise<void> | undefined
  readonly createYield: CreateYield
  /** Resolves in a later turn, which short steps share. In order of arrival. */
  readonly nextTurn: () => Promise<void>
  /**
   * Resolves in a later turn, in which nothing else that has yielded here resumes. For steps that take long themselves: two of
   * them in one turn, such as a verified block and a flush of the views, would block everything else for their total time.
   */
  readonly exclusiveTurn: () => Promise<void>
  /** True where long work that looks at no clock of its own should yield. */
  readonly isSliceOver: () => boolean
}

export type SchedulerOptions = {
  readonly onNextTurn: OnNextTurn
  /** Monotonic clock. */
  readonly nowMs: () => number
  /** Part of one turn for all work that starts in it, and as much for the work that continues in it. */
  readonly sliceMs: number
}

/** Steps that have yielded share a turn while they have used less than this: on a busy machine turns are long. */
const SHARED_MS = 1

/** Steps that start, and steps that continue, in one turn; bounds the callbacks that wait for a turn. */
const TURN_STEPS_MAX = 128

type Step = { readonly isExclusive: boolean; readonly resume: () => void }

type State = SchedulerOptions & {
  /** Work that has not started, and steps of work that has yielded. Their number is that of the operations in progress. */
  readonly starting: Step[]
  readonly continuing: Step[]
  /** When the work of this turn began; undefined in a turn without any. */
  startedMs: number | undefined
  startedSteps: number
  continuedSteps: number
  hasExclusive: boolean
  isEndDue: boolean
  /** Calls of `resumeNext` that are due in the next turn. */
  dueSteps: number
}

const startTurn = (state: State): void => {
  state.isEndDue = false
  state.startedMs = undefined
  state.startedSteps = 0
  state.continuedSteps = 0
  state.hasExclusive = false
}

/** Called before anything else that waits for the next turn. */
const awaitNextTurn = (state: State): void => {
  if (state.isEndDue) return
  state.isEndDue = true
  state.onNextTurn(() => startTurn(state))
}

const noteStart = (state: State): void => {
  state.startedMs ??= state.nowMs()
  awaitNextTurn(state)
}

const hasUsed = ({ startedMs }: State, nowMs: number, ms: number): boolean =>
  startedMs !== undefined && nowMs - startedMs >= ms

const mayStart = (state: State): boolean =>
  state.starting.length > 0 &&
  state.continuedSteps === 0 &&
  (state.startedSteps === 0 ||
    (state.startedSteps < TURN_STEPS_MAX && !hasUsed(state, state.nowMs(), state.sliceMs)))

/** Each turn continues at least one step, whatever has started in it. */
const mayContinue = (state: State): boolean => {
  const [next] = state.continuing
  if (next === undefined) return false
  if (state.continuedSteps === 0) return true
  if (next.isExclusive || state.hasExclusive || state.continuedSteps >= TURN_STEPS_MAX) return false
  return !hasUsed(state, state.nowMs(), SHARED_MS)
}

/** One step a callback: the work that it resumes runs in the microtasks after it, before the next callback. */
const resumeNext = (state: State): void => {
  state.dueSteps--
  if (mayStart(state)) {
    state.startedSteps++
    noteStart(state)
    state.starting.shift()?.resume()
  } else if (mayContinue(state)) {
    const next = state.continuing.shift()
    // What continues has a slice of its own.
    if (state.continuedSteps++ === 0) state.startedMs = undefined
    noteStart(state)
    if (next?.isExclusive === true) state.hasExclusive = true
    next?.resume()
  }
  awaitSteps(state)
}

const awaitSteps = (state: State): void => {
  const { starting, continuing, onNextTurn } = state
  const wanted = Math.min(starting.length, TURN_STEPS_MAX) + Math.min(continuing.length, TURN_STEPS_MAX)
  if (state.dueSteps >= wanted) return
  awaitNextTurn(state)
  state.dueSteps++
  onNextTurn(() => resumeNext(state))
}

const waitIn = (state: State, queue: Step[], isExclusive: boolean): Promise<void> =>
  new Promise(resume => {
    queue.push({ isExclusive, resume })
    awaitSteps(state)
  })

/**
 * Creates the scheduler of one kind of work: an event loop has one for each kind that must not wait behind another. A turn
 * takes at most twice `sliceMs`, and the last step of each half.
 */
export const createScheduler = (options: SchedulerOptions): Scheduler => {
  const { nowMs, sliceMs } = options
  const state: State = {
    ...options,
    starting: [],
    continuing: [],
    startedMs: undefined,
    startedSteps: 0,
    continuedSteps: 0,
    hasExclusive: false,
    isEndDue: false,
    dueSteps: 0,
  }
  const nextTurn = (): Promise<void> => waitIn(state, state.continuing, false)
  return {
    begin: () => {
      noteStart(state)
      if (state.starting.length === 0 && !hasUsed(state, nowMs(), sliceMs)) return undefined
      return waitIn(state, state.starting, false)
    },
    createYield: () => {
      noteStart(state)
      let startedMs = nowMs()
      return () => {
        const now = nowMs()
        if (now - startedMs < sliceMs && !hasUsed(state, now, sliceMs)) return undefined
        return nextTurn().then(() => {
          startedMs = nowMs()
        })
      }
    },
    nextTurn,
    exclusiveTurn: () => waitIn(state, state.continuing, true),
    isSliceOver: () => state.startedMs === undefined || hasUsed(state, nowMs(), sliceMs),
  }
}

/** A scheduler whose operations share nothing: for a runtime where a timer must not serve several requests. */
export const createIndependentScheduler = ({ onNextTurn, nowMs, sliceMs }: SchedulerOptions): Scheduler => {
  const nextTurn = (): Promise<void> => new Promise(onNextTurn)
  return {
    begin: () => undefined,
    createYield: () => {
      let startedMs = nowMs()
      return () => {
        if (nowMs() - startedMs < sliceMs) return undefined
        return nextTurn().then(() => {
          startedMs = nowMs()
        })
      }
    },
    nextTurn,
    exclusiveTurn: nextTurn,
    isSliceOver: () => true,
  }
}
