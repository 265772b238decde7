import { HistoryPruned } from '../../../core/store/historyPruned.ts'
import { ReplicaFault, StateUnavailable } from '../../../core/store/replica/errors.ts'
import { NotProved } from '../../../core/verify/notProved.ts'
import { TransactionRejected } from '../../../core/txpool/rejection.ts'
import type { Caller } from '../../auth/caller.ts'
import type { RpcContext } from '../context.ts'
import { isForked } from '../state/isForked.ts'
import { proofOfOutcome } from './answerProof.ts'
import { errorOutcome, type Outcome } from './envelope.ts'
import { forwardedRow } from './forwarding.ts'
import {
  errorObject,
  prunedError,
  rejectionObject,
  RPC_ERRORS,
  RpcError,
  type RpcErrorObject,
  rpcErrorObject,
} from '../errors.ts'
import { mayAnswerLong } from '../answerMemory.ts'
import { isKnownMethod } from './knownMethods.ts'
import type { Call, Method, Params } from '../method.ts'
import { invalidParameter } from '../openrpc/domains.ts'
import type { OnNextTurn } from '../../../core/scheduler.ts'
import { createBatchedStart, createMicroBatch } from './microBatch.ts'
import { createOffloadedRun, type RunHere, WorkerRefusal } from './offload.ts'
import { observed } from './observed.ts'

/** Codes of invalid parameters; subscriptions use the second one, as in Besu. */
const PARAMETER_CODES: ReadonlySet<number> = new Set([
  RPC_ERRORS.INVALID_PARAMS.code,
  RPC_ERRORS.INVALID_REQUEST.code,
])

/** Besu's text, with a description of the invalid parameter as `data`. */
const refusalOf = (row: Method, params: Params, error: RpcError): RpcErrorObject => {
  const isUnexplained =
    PARAMETER_CODES.has(RPC_ERRORS[error.code].code) && error.detail === undefined && error.data === undefined
  return errorObject(error, isUnexplained ? invalidParameter(row, params) : undefined)
}

/** Runs methods; every error that they throw becomes an outcome. */
export type Runner = {
  /** The enabled method of that name if the caller has its permission; otherwise the error to answer. */
  readonly find: (name: string, caller: Caller) => Method | Outcome
  run(method: Method, call: Call): Outcome | Promise<Outcome>
  /** As `run`, for a call that is not part of a batch: it may join a micro-batch with calls of other requests. */
  runSingle(method: Method, call: Call): Outcome | Promise<Outcome>
  /** An outcome for each call of one method, handled together where the method supports it. */
  runMany(method: Method, calls: readonly Call[]): Promise<readonly Outcome[]>
}

const failureOf = (context: RpcContext, row: Method, { params }: Call, error: unknown): Outcome => {
  if (error instanceof RpcError) return { error: refusalOf(row, params, error) }
  if (error instanceof HistoryPruned) return { error: refusalOf(row, params, prunedError(error)) }
  if (error instanceof WorkerRefusal) return { error: error.refusal }
  if (error instanceof StateUnavailable) return { error: rpcErrorObject('WORLD_STATE_UNAVAILABLE') }
  if (error instanceof NotProved || error instanceof ReplicaFault) {
    context.reportError(row.name, error)
    return { error: { ...rpcErrorObject('INTERNAL_ERROR'), data: error.message } }
  }
  if (error instanceof TransactionRejected) return { error: rejectionObject(error) }
  context.reportError(row.name, error)
  return { error: rpcErrorObject('INTERNAL_ERROR') }
}

/**
 * Runs a method on this thread. Returns a promise only where the method does: each costs as much as a part of a short call.
 * @throws errors for which `passes` is true
 */
const runHere: RunHere = (row, call, context, passes) => {
  const failed = (error: unknown): Outcome => {
    if (passes?.(error) === true) throw error
    return failureOf(context, row, call, error)
  }
  try {
    const result = row.handle(call, context)
    if (!(result instanceof Promise)) return { result }
    return result.then((value: unknown) => ({ result: value }), failed)
  } catch (error) {
    return failed(error)
  }
}

/** Besu's error, with what enables the method. @param group undefined for a method of Besu's that this node does not have */
const notEnabled = (
  group: string | undefined,
  option = '--rpc-http-api, or over WebSocket to --rpc-ws-api',
): Outcome => ({
  error: {
    ...rpcErrorObject('METHOD_NOT_ENABLED'),
    data: group === undefined ? 'this node does not have the method' : `add ${group} to ${option}`,
  },
})

const createFind = (
  methods: readonly Method[],
  { options: { apis, apisOption }, forwardCall }: RpcContext,
): Runner['find'] => {
  const served = new Map(
    methods
      .filter(({ group }) => group === 'RPC' || apis.includes(group))
      .map(row => [row.name, forwardCall === undefined ? row : forwardedRow(row, forwardCall)]),
  )
  const groups = new Map(methods.map(({ name, group }) => [name, group]))
  const isKnown = (name: string): boolean => groups.has(name) || isKnownMethod(name)
  return (name, caller) => {
    const row = served.get(name)
    if (row === undefined)
      return isKnown(name) ? notEnabled(groups.get(name), apisOption) : errorOutcome('METHOD_NOT_FOUND')
    if (caller.permits(row)) return row
    caller.denied(row)
    return errorOutcome('UNAUTHORIZED')
  }
}

const createRun = (context: RpcContext): Runner['run'] => {
  const { callWorkers, answers } = context
  const runOffloaded =
    callWorkers === undefined ? undefined : createOffloadedRun(context, callWorkers, runHere)
  return (row, call) => {
    // The workers cannot wait for another network.
    if (runOffloaded !== undefined && row.offload !== undefined && !isForked(context))
      return runOffloaded(row, call)
    if (answers?.isFull() === true && mayAnswerLong(row.name)) return errorOutcome('NODE_BUSY')
    return runHere(row, call, context)
  }
}

const createRunMany =
  (context: RpcContext, run: Runner['run']): Runner['runMany'] =>
  async (row, calls) => {
    if (row.handleMany === undefined) {
      const outcomes: Outcome[] = []
      for (const call of calls) outcomes.push(await run(row, call))
      return outcomes
    }
    try {
      return await row.handleMany(calls, context)
    } catch (error) {
      return calls.map(call => failureOf(context, row, call, error))
    }
  }

const createRunSingle = (
  methods: readonly Method[],
  onNextTurn: OnNextTurn,
  { run, runMany }: Pick<Runner, 'run' | 'runMany'>,
): Runner['runSingle'] => {
  const startBatched = createBatchedStart<Outcome>(onNextTurn)
  const microBatches = new Map(
    methods
      .filter(({ handleMany }) => handleMany !== undefined)
      .map(row => [row, createMicroBatch(onNextTurn, calls => runMany(row, calls))]),
  )
  return (row, call) => {
    const microBatch = microBatches.get(row)
    if (microBatch !== undefined) return microBatch(call)
    return row.offload === 'long' ? startBatched(() => run(row, call)) : run(row, call)
  }
}

/** Notes what each outcome rests on, where a reader answers. */
const withProofs = ({ run, runMany }: Pick<Runner, 'run' | 'runMany'>): Pick<Runner, 'run' | 'runMany'> => {
  const noted = (row: Method, { params, proofs }: Call, outcome: Outcome): Outcome => {
    proofs?.note(proofOfOutcome(row.name, params, outcome))
    return outcome
  }
  return {
    run: (row, call) => {
      const outcome = run(row, call)
      if (call.proofs === undefined) return outcome
      return outcome instanceof Promise
        ? outcome.then(one => noted(row, call, one))
        : noted(row, call, outcome)
    },
    runMany: async (row, calls) => {
      const outcomes = await runMany(row, calls)
      return calls.map((call, index) => noted(row, call, outcomes[index] as Outcome))
    },
  }
}

/** @param find of another runner of these methods, whose context has the same options */
export const createRunner = (
  methods: readonly Method[],
  context: RpcContext,
  find: Runner['find'] = createFind(methods, context),
): Runner => {
  const { onNextTurn, observer } = context
  const runUnnoted = createRun(context)
  const { run, runMany } = withProofs({ run: runUnnoted, runMany: createRunMany(context, runUnnoted) })
  const runner = {
    find,
    run,
    runMany,
    runSingle: onNextTurn === undefined ? run : createRunSingle(methods, onNextTurn, { run, runMany }),
  }
  return observer === undefined ? runner : observed(runner, observer)
}
