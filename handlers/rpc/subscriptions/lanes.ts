import type { Scheduler } from '../../../core/scheduler.ts'

/** A subscription. */
export type Listener = {
  readonly lane: Lane
  /** @param result JSON text. */
  readonly notify: (result: string) => void
}

/** The notifications of an event for listeners of one connection. */
export type Batch = {
  /** Listeners with the number of the last event before they were added. */
  readonly listeners: ReadonlyMap<Listener, number>
  readonly event: number
  /** As JSON, in order; shared by all listeners of all connections. */
  readonly results: readonly string[]
}

/** Notifications that are few and awaited, such as heads, do not wait behind those that may be many, such as logs. */
export type Urgency = 'prompt' | 'bulk'

/** The notifications that wait for one connection. */
export type Lane = { put(batch: Batch, urgency: Urgency): void }

/** Notifies the connections in turn, so that one with many notifications does not delay those of the others. */
export type Lanes = {
  /** @param onOverrun called when more waits than a connection may have waiting; the lane is closed. */
  open(onOverrun: () => void): Lane
}

/** Notifications of one connection before the next one's turn: well under a millisecond. */
const STEP_NOTIFICATIONS = 64

/** Notifications that wait for one connection: five of each log of the largest blocks. Beyond it no client keeps up. */
export const WAITING_MAX = 512 * 1024

/** Memory of the lists that wait for one connection, in references of 8 bytes: 2 MB. */
const WAITING_REFERENCES_MAX = 256 * 1024

/** References that a batch takes without its results. */
const BATCH_REFERENCES = 16

/** Characters that wait for one connection: the logs of one of the largest blocks. */
const WAITING_LENGTH_MAX = 96 * 1024 * 1024

type Waiting = {
  readonly steps: Iterator<undefined>
  readonly count: number
  readonly references: number
  readonly length: number
}

type LaneState = {
  /** First in, first out: a set keeps the order of insertion, and removes its first element quickly. */
  readonly waiting: Readonly<Record<Urgency, Set<Waiting>>>
  count: number
  references: number
  length: number
  isClosed: boolean
}

/** Notifies one listener of one result in each step. */
function* deliveries({ listeners, event, results }: Batch): Generator<undefined, void> {
  for (const result of results)
    for (const [listener, since] of listeners) {
      if (since < event) listener.notify(result)
      yield
    }
}

const waitingOf = (batch: Batch): Waiting => {
  const { listeners, results } = batch
  return {
    steps: deliveries(batch),
    count: listeners.size * results.length,
    references: BATCH_REFERENCES + results.length,
    length: results.reduce((sum, { length }) => sum + length, 0),
  }
}

const count = (lane: LaneState, { count, references, length }: Waiting, sign: 1 | -1): void => {
  lane.count += sign * count
  lane.references += sign * references
  lane.length += sign * length
}

const isOverrun = ({ count, references, length }: LaneState): boolean =>
  count > WAITING_MAX || references > WAITING_REFERENCES_MAX || length > WAITING_LENGTH_MAX

const close = (lane: LaneState): void => {
  lane.isClosed = true
  for (const waiting of Object.values(lane.waiting)) waiting.clear()
}

/** Makes the next notifications of one connection. */
const deliverStep = (lane: LaneState, urgency: Urgency): void => {
  const waiting = lane.waiting[urgency]
  let [first] = waiting
  for (let left = STEP_NOTIFICATIONS; first !== undefined && left > 0; left--) {
    if (first.steps.next().done !== true) continue
    // A notification may have closed the lane.
    if (waiting.delete(first)) count(lane, first, -1)
    ;[first] = waiting
  }
}

export const createLanes = ({ createYield }: Pick<Scheduler, 'createYield'>): Lanes => {
  const ready: Readonly<Record<Urgency, Set<LaneState>>> = { prompt: new Set(), bulk: new Set() }
  let running = false

  /** Delivers a step of the connection that has waited longest. */
  const deliverNext = (urgency: Urgency): void => {
    const [lane] = ready[urgency]
    if (lane === undefined) return
    ready[urgency].delete(lane)
    deliverStep(lane, urgency)
    if (lane.waiting[urgency].size > 0) ready[urgency].add(lane)
  }

  const run = async (): Promise<void> => {
    if (running) return
    running = true
    const yieldTurn = createYield()
    while (ready.prompt.size + ready.bulk.size > 0) {
      deliverNext('prompt')
      deliverNext('bulk')
      const pause = yieldTurn()
      if (pause !== undefined) await pause
    }
    running = false
  }

  return {
    open: onOverrun => {
      const lane: LaneState = {
        waiting: { prompt: new Set(), bulk: new Set() },
        count: 0,
        references: 0,
        length: 0,
        isClosed: false,
      }
      return {
        put: (batch, urgency) => {
          if (lane.isClosed || batch.results.length === 0) return
          const waiting = waitingOf(batch)
          lane.waiting[urgency].add(waiting)
          count(lane, waiting, 1)
          if (isOverrun(lane)) {
            close(lane)
            return onOverrun()
          }
          ready[urgency].add(lane)
          void run()
        },
      }
    },
  }
}
