/**
 * What short units of input cost. A chunk of a body, a WebSocket frame or a message of one byte takes the event loop as long as one
 * of a kilobyte: some microseconds. A limit of bytes alone would let a few megabytes of them hold it for a minute.
 */

/** Units that are counted, as the log names them. */
export type UnitKind = 'chunks of request bodies' | 'WebSocket frames' | 'WebSocket messages'

/** Measured, a unit costs 2 to 4 µs on Bun and Node, and 10 to 15 µs on Deno. */
const IS_SLOW = 'Deno' in globalThis

/** Short units a second of all who have not shown who they are: together a tenth of the event loop at most. */
const UNITS_PER_SECOND = IS_SLOW ? 5_000 : 20_000

/** Units that may come at once: they take 40 ms at most. */
const BURST_UNITS = UNITS_PER_SECOND / 2

/** The units of all who have not shown who they are. */
export type UnitBudget = {
  /** False where the share of the event loop is used up: whoever sent the unit is disconnected. */
  readonly take: (kind: UnitKind) => boolean
  /** Reports a unit that is refused for another reason. */
  readonly refuse: (kind: UnitKind) => void
}

type Options = {
  /** Monotonic clock. */
  readonly nowMs: () => number
  /** Called for each refused unit. */
  readonly onRefused: (kind: UnitKind) => void
}

type Bucket = { readonly perSecond: number; readonly burst: number; left: number; filledMs: number }

const createBucket = (perSecond: number, burst: number, nowMs: number): Bucket => ({
  perSecond,
  burst,
  left: burst,
  filledMs: nowMs,
})

/** Looks at the clock only where nothing is left: that costs as much as the rest. */
const takeFrom = (bucket: Bucket, nowMs: () => number): boolean => {
  if (bucket.left < 1) {
    const now = nowMs()
    bucket.left = Math.min(bucket.burst, bucket.left + ((now - bucket.filledMs) * bucket.perSecond) / 1000)
    bucket.filledMs = now
  }
  if (bucket.left < 1) return false
  bucket.left--
  return true
}

export const createUnitBudget = ({ nowMs, onRefused }: Options): UnitBudget => {
  const bucket = createBucket(UNITS_PER_SECOND, BURST_UNITS, nowMs())
  return {
    take: kind => {
      if (takeFrom(bucket, nowMs)) return true
      onRefused(kind)
      return false
    },
    refuse: onRefused,
  }
}

let report: (kind: UnitKind) => void = () => undefined

/** Called for each unit that is refused on this event loop. */
export const onRefusedUnit = (listener: (kind: UnitKind) => void): void => {
  report = listener
}

let shared: UnitBudget | undefined

/** The budget of this event loop: its time is what it divides. */
export const unitBudget = (): UnitBudget => {
  shared ??= createUnitBudget({ nowMs: () => performance.now(), onRefused: kind => report(kind) })
  return shared
}

/** Short units that each connection may always send: pings, and messages typed by hand. */
const CONNECTION_BURST_UNITS = 64
const CONNECTION_UNITS_PER_SECOND = 4

/** Counts the short units of one connection: first those of its own, then those of the budget. */
export const createConnectionUnits = (
  kind: UnitKind,
  budget: UnitBudget = unitBudget(),
  nowMs: () => number = () => performance.now(),
): (() => boolean) => {
  const own = createBucket(CONNECTION_UNITS_PER_SECOND, CONNECTION_BURST_UNITS, nowMs())
  return () => takeFrom(own, nowMs) || budget.take(kind)
}
