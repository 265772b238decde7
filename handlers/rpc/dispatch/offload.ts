import { withWatch, type Watch } from '../../../core/evm/watch.ts'
import type { RpcContext, RpcHost } from '../context.ts'
import type { Outcome } from './envelope.ts'
import { RpcError, type RpcErrorObject } from './errors.ts'
import type { Call, Method, Params } from '../methods/method.ts'
import { isObject } from '../parameters/values.ts'

/** Runs methods on other threads than the one that serves requests and takes part in consensus. */
export type Aside = {
  /** What a method of the table gives; undefined where it must be run here after all. */
  run(method: string, call: Call): Promise<Outcome | undefined>
}

/**
 * What a call that may be long gets on this thread before it moves: half a millisecond to two. A balanceOf takes 3,000 gas,
 * and handing it over would take several times as long as running it.
 */
const SHORT_GAS = 250_000

/**
 * Characters and members of the parameters of a call that begins here: code to be deployed and state overrides are made ready
 * before the first gas is used.
 */
const SHORT_PARAMS = 64 * 1024

/** Calls remembered to be long, so that they move at once. */
const LONG_CALLS_MAX = 1024

/** Without another thread a run holds up everything, so it ends after this. */
export const RUN_MS_MAX = 5000

/** Between two looks at the clock: some milliseconds. */
const CLOCK_GAS = 1_000_000

/** What another thread refused, as it answered. */
export class RefusedElsewhere extends Error {
  override readonly name = 'RefusedElsewhere'
  readonly code = 'REFUSED_ELSEWHERE'
  readonly refusal: RpcErrorObject
  constructor(refusal: RpcErrorObject) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** A short run was not enough. */
class RunsLong extends Error {
  override readonly name = 'RunsLong'
  readonly code = 'RUNS_LONG'
}

/** Everything that is run over the store is watched. */
const watched = <Context extends Pick<RpcHost, 'chain'>>(context: Context, watchOf: () => Watch): Context => {
  const { chain } = context
  const { store } = chain
  const under = <T>(synchronous: () => T): (() => T) => {
    const watch = watchOf()
    return () => withWatch(watch, synchronous)
  }
  const watching: typeof store = {
    ...store,
    run: synchronous => store.run(under(synchronous)),
    runAtOnce: synchronous => store.runAtOnce(under(synchronous)),
  }
  return { ...context, chain: { ...chain, store: watching } }
}

/** Ends runs on this thread that hold up everybody else for longer than RUN_MS_MAX. @throws RpcError in them */
export const withRunsBounded = <Context extends Pick<RpcHost, 'chain' | 'nowMs'>>(
  context: Context,
): Context => {
  const { nowMs } = context
  return watched(context, () => {
    // From the first look on: most runs are over before it.
    let untilMs: number | undefined
    const check = (): void => {
      untilMs ??= nowMs() + RUN_MS_MAX
      if (nowMs() > untilMs) throw new RpcError('TIMEOUT')
    }
    return { gas: CLOCK_GAS, check }
  })
}

const SHORT: Watch = {
  gas: SHORT_GAS,
  check: () => {
    throw new RunsLong()
  },
}

/** What is left of `room` after a JSON value; negative, and not counted to its end, where it takes more. */
const roomAfter = (value: unknown, room: number): number => {
  if (typeof value === 'string') return room - value.length
  if (typeof value !== 'object' || value === null) return room - 1
  let left = room
  for (const name in value) {
    left = roomAfter((value as Readonly<Record<string, unknown>>)[name], left - name.length - 1)
    if (left < 0) return left
  }
  return left
}

/** What is called: the contract and its function. Undefined for a creation. */
const calledBy = ([call]: Params): string | undefined => {
  if (!isObject(call)) return undefined
  const { to, input, data } = call as {
    readonly to?: unknown
    readonly input?: unknown
    readonly data?: unknown
  }
  const given = input ?? data
  return typeof to === 'string' && typeof given === 'string' ? to + given.slice(0, 10) : undefined
}

/**
 * Runs rows that may run aside: those that are long at another thread, those that may be long here for a short while, and
 * there when that was not enough.
 * @param here runs a method on this thread and gives its outcome, or throws on what `passes`.
 */
export const createAsideRun = (
  context: RpcContext,
  aside: Aside,
  here: (
    row: Method,
    call: Call,
    context: RpcContext,
    passes?: (error: unknown) => boolean,
  ) => Promise<Outcome>,
): ((row: Method, call: Call) => Promise<Outcome>) => {
  const short = watched(context, () => SHORT)
  const long = new Set<string>()

  const remember = (called: string | undefined): void => {
    if (called === undefined) return
    long.add(called)
    if (long.size <= LONG_CALLS_MAX) return
    for (const oldest of long) {
      long.delete(oldest)
      return
    }
  }
  const there = async (row: Method, call: Call): Promise<Outcome> =>
    (await aside.run(row.name, call)) ?? (await here(row, call, context))

  return async (row, call) => {
    if (row.aside !== 'long' || roomAfter(call.params, SHORT_PARAMS) < 0) return there(row, call)
    const called = calledBy(call.params)
    if (called !== undefined && long.has(called)) return there(row, call)
    try {
      return await here(row, call, short, error => error instanceof RunsLong)
    } catch (error) {
      if (!(error instanceof RunsLong)) throw error
      remember(called)
      return there(row, call)
    }
  }
}
