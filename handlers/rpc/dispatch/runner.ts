import { TransactionRejected } from '../../../core/txpool/rejection.ts'
import type { Caller } from '../../auth/caller.ts'
import { createAsideRun, RefusedElsewhere } from './offload.ts'
import type { RpcContext } from '../context.ts'
import { errorOutcome, type Outcome } from './envelope.ts'
import {
  errorObject,
  rejectionObject,
  RPC_ERRORS,
  RpcError,
  type RpcErrorObject,
  rpcErrorObject,
} from './errors.ts'
import { isKnownMethod } from './knownMethods.ts'
import type { Call, Method, Params } from '../methods/method.ts'
import { outsideDomain } from '../parameters/domains.ts'
import { createBeginning, createGathering } from './microBatch.ts'

/** Codes of refused parameters; subscriptions have the second one, as in Besu. */
const EXPLAINED: ReadonlySet<number> = new Set([
  RPC_ERRORS.INVALID_PARAMS.code,
  RPC_ERRORS.INVALID_REQUEST.code,
])

/** Besu's text, and beside it what is wrong with the parameters. */
const refusalOf = (row: Method, params: Params, error: RpcError): RpcErrorObject => {
  const isUnexplained =
    EXPLAINED.has(RPC_ERRORS[error.code].code) && error.detail === undefined && error.data === undefined
  return errorObject(error, isUnexplained ? outsideDomain(row, params) : undefined)
}

/** Runs methods; whatever they throw becomes an outcome. */
export type Runner = {
  /** The served method of that name where the caller may run it, or the error that says why not. */
  find(name: string, caller: Caller): Method | Outcome
  run(method: Method, call: Call): Outcome | Promise<Outcome>
  /** As run, for a call that came by itself: beside others that do, it may be cheaper to wait for the next turn. */
  runSingle(method: Method, call: Call): Outcome | Promise<Outcome>
  /** An outcome for each call of one method, run together where the method can. */
  runTogether(method: Method, calls: readonly Call[]): Promise<readonly Outcome[]>
}

export const createRunner = (methods: readonly Method[], context: RpcContext): Runner => {
  const { apis } = context.options
  const served = new Map(
    methods.filter(({ group }) => group === 'RPC' || apis.includes(group)).map(row => [row.name, row]),
  )
  const names = new Set(methods.map(({ name }) => name))
  /** Of this node or of Besu. */
  const isKnown = (name: string): boolean => names.has(name) || isKnownMethod(name)

  const failure = (row: Method, { params }: Call, error: unknown): Outcome => {
    if (error instanceof RpcError) return { error: refusalOf(row, params, error) }
    if (error instanceof RefusedElsewhere) return { error: error.refusal }
    if (error instanceof TransactionRejected) return { error: rejectionObject(error) }
    context.reportError(row.name, error)
    return { error: rpcErrorObject('INTERNAL_ERROR') }
  }

  /** Runs it on this thread. @throws what `passes` */
  const here = async (
    row: Method,
    call: Call,
    given: RpcContext,
    passes: (error: unknown) => boolean = () => false,
  ): Promise<Outcome> => {
    try {
      return { result: await row.handle(call, given) }
    } catch (error) {
      if (passes(error)) throw error
      return failure(row, call, error)
    }
  }

  const aside = context.aside === undefined ? undefined : createAsideRun(context, context.aside, here)

  const run = (row: Method, call: Call): Outcome | Promise<Outcome> => {
    if (aside !== undefined && row.aside !== undefined) return aside(row, call)
    try {
      const result = row.handle(call, context)
      if (!(result instanceof Promise)) return { result }
      return result.then(
        (value: unknown) => ({ result: value }),
        (error: unknown) => failure(row, call, error),
      )
    } catch (error) {
      return failure(row, call, error)
    }
  }

  const runTogether = async (row: Method, calls: readonly Call[]): Promise<readonly Outcome[]> => {
    if (row.handleTogether === undefined) {
      const outcomes: Outcome[] = []
      for (const call of calls) outcomes.push(await run(row, call))
      return outcomes
    }
    try {
      return await row.handleTogether(calls, context)
    } catch (error) {
      return calls.map(call => failure(row, call, error))
    }
  }

  const { onNextTurn } = context
  const begin = onNextTurn === undefined ? undefined : createBeginning(onNextTurn)
  const gathered = new Map(
    onNextTurn === undefined
      ? []
      : methods
          .filter(({ handleTogether }) => handleTogether !== undefined)
          .map(row => [row, createGathering(onNextTurn, calls => runTogether(row, calls))]),
  )
  const soon = async (row: Method, call: Call, begun: Promise<void>): Promise<Outcome> => {
    await begun
    return await run(row, call)
  }

  return {
    find: (name, caller) => {
      const row = served.get(name)
      if (row === undefined) return errorOutcome(isKnown(name) ? 'METHOD_NOT_ENABLED' : 'METHOD_NOT_FOUND')
      if (caller.permits(row)) return row
      caller.denied(row)
      return errorOutcome('UNAUTHORIZED')
    },
    run,
    runSingle: (row, call) => {
      const gather = gathered.get(row)
      if (gather !== undefined) return gather(call)
      return begin !== undefined && row.aside === 'long' ? soon(row, call, begin()) : run(row, call)
    },
    runTogether,
  }
}
