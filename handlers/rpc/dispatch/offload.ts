import { isObject, type JsonObject } from '../../../core/json.ts'
import { evictOldest } from '../../../core/collections/boundedMap.ts'
import { withRunLimit, type RunLimit } from '../../../core/evm/interpreter/runLimit.ts'
import type { RpcContext, RpcHost } from '../context.ts'
import type { Outcome } from './envelope.ts'
import { RpcError, type RpcErrorObject } from '../errors.ts'
import type { Call, Method, Params } from '../method.ts'

/** Threads that run methods, so that the thread that serves requests and takes part in consensus stays free. */
export type CallWorkers = {
  /** Runs a method of the table; undefined where the caller must run it on its own thread. */
  run(method: string, call: Call): Promise<Outcome | undefined>
}

/**
 * Gas that a call may use on this thread before it moves to a call worker: half a millisecond to two. A balanceOf takes
 * 3,000 gas, and sending it to a worker would take several times as long as running it.
 */
const SHORT_GAS = 250_000

/**
 * Characters and members of the parameters of a call that starts on this thread: code and state overrides are processed
 * before the first gas is used.
 */
const SHORT_PARAMS = 64 * 1024

/** Functions remembered as long: their calls go to a call worker at once. */
const LONG_CALLS_MAX = 1024

/** Longest run on this thread, where it blocks everything else. */
export const RUN_MS_MAX = 5000

/** Gas between two reads of the clock: some milliseconds. */
const CLOCK_GAS = 1_000_000

/** The error that a call worker answered. */
export class WorkerRefusal extends Error {
  override readonly name = 'WorkerRefusal'
  readonly code = 'WORKER_REFUSAL'
  readonly refusal: RpcErrorObject
  constructor(refusal: RpcErrorObject) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** The call used more than SHORT_GAS. */
export class RunsLong extends Error {
  override readonly name = 'RunsLong'
  readonly code = 'RUNS_LONG'
}

/** A context whose reads of the store have a run limit. */
const limited = <Context extends Pick<RpcHost, 'chain'>>(
  context: Context,
  limitOf: () => RunLimit,
): Context => {
  const { chain } = context
  const { store } = chain
  const under = <T>(synchronous: () => T): (() => T) => {
    const limit = limitOf()
    return () => withRunLimit(limit, synchronous)
  }
  const limitedStore: typeof store = {
    ...store,
    run: synchronous => store.run(under(synchronous)),
    runAtOnce: synchronous => store.runAtOnce(under(synchronous)),
  }
  return { ...context, chain: { ...chain, store: limitedStore } }
}

/** Limits each run on this thread to RUN_MS_MAX. @throws RpcError in the run */
export const withRunsBounded = <Context extends Pick<RpcHost, 'chain' | 'nowMs'>>(
  context: Context,
): Context => {
  const { nowMs } = context
  return limited(context, () => {
    // The clock is first read after CLOCK_GAS: most runs end before that.
    let untilMs: number | undefined
    const check = (): void => {
      untilMs ??= nowMs() + RUN_MS_MAX
      if (nowMs() > untilMs) throw new RpcError('TIMEOUT')
    }
    return { gas: CLOCK_GAS, check }
  })
}

const SHORT: RunLimit = {
  gas: SHORT_GAS,
  check: () => {
    throw new RunsLong()
  },
}

/** `limit` minus the size of a JSON value; stops as soon as the difference is negative. */
const limitAfter = (value: unknown, limit: number): number => {
  if (typeof value === 'string') return limit - value.length
  if (typeof value !== 'object' || value === null) return limit - 1
  let left = limit
  if (Array.isArray(value)) {
    // The operator `in` would convert each index to a string.
    for (const element of value) {
      left = limitAfter(element, left - 1)
      if (left < 0) return left
    }
    return left
  }
  for (const name in value) {
    left = limitAfter((value as JsonObject)[name], left - name.length - 1)
    if (left < 0) return left
  }
  return left
}

/** The called contract and function selector; undefined for a creation. */
const functionOf = ([call]: Params): string | undefined => {
  if (!isObject(call)) return undefined
  const { to, input, data } = call as {
    readonly to?: unknown
    readonly input?: unknown
    readonly data?: unknown
  }
  const given = input ?? data
  return typeof to === 'string' && typeof given === 'string' ? to + given.slice(0, 10) : undefined
}

/** Runs a method on this thread. @throws errors for which `passes` is true; other errors are outcomes */
export type RunHere = (
  row: Method,
  call: Call,
  context: RpcContext,
  passes?: (error: unknown) => boolean,
) => Outcome | Promise<Outcome>

const isRunsLong = (error: unknown): boolean => error instanceof RunsLong

/**
 * Runs methods with `offload`: `always` runs on a call worker; `long` runs on this thread up to SHORT_GAS, and on a worker if
 * it needs more gas. Returns a promise only where the method does, or a worker runs it.
 */
export const createOffloadedRun = (
  context: RpcContext,
  workers: CallWorkers,
  runHere: RunHere,
): ((row: Method, call: Call) => Outcome | Promise<Outcome>) => {
  const short = limited(context, () => SHORT)
  const long = new Set<string>()

  const remember = (called: string | undefined): void => {
    if (called === undefined) return
    long.add(called)
    evictOldest(long, LONG_CALLS_MAX)
  }
  const runOnWorker = async (row: Method, call: Call): Promise<Outcome> =>
    (await workers.run(row.name, call)) ?? (await runHere(row, call, context))

  const isKnownLong = (params: Params): boolean => {
    if (long.size === 0) return false
    const called = functionOf(params)
    return called !== undefined && long.has(called)
  }

  return (row, call) => {
    const { params } = call
    if (row.offload !== 'long' || limitAfter(params, SHORT_PARAMS) < 0 || isKnownLong(params))
      return runOnWorker(row, call)
    const moveOn = (error: unknown): Promise<Outcome> => {
      if (!isRunsLong(error)) throw error
      remember(functionOf(params))
      return runOnWorker(row, call)
    }
    try {
      const outcome = runHere(row, call, short, isRunsLong)
      return outcome instanceof Promise ? outcome.catch(moveOn) : outcome
    } catch (error) {
      return moveOn(error)
    }
  }
}
