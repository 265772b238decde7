import { toHex } from '../../../../core/bytes/hex.ts'
import type { TransactionResult } from '../../../../core/evm/transaction/result.ts'
import { differencesSince, markState } from '../../../../core/state/differences.ts'
import { RpcError } from '../../errors.ts'
import { objectsBudget } from '../budget.ts'
import { collectCalls } from '../calls.ts'
import { joinHooks, type TracerKind } from '../traced.ts'
import { flatTraces } from './flatTraces.ts'
import { stateDiffShape } from './stateDiff.ts'
import { collectVmTrace } from './vmTrace.ts'

type TraceType = 'trace' | 'vmTrace' | 'stateDiff'

const TYPES: ReadonlyMap<string, TraceType> = new Map([
  ['trace', 'trace'],
  ['vmtrace', 'vmTrace'],
  ['statediff', 'stateDiff'],
])

/** Maximum number of type names in one request. */
const NAMES_MAX = 16

const unknownTypes = (): RpcError =>
  new RpcError('INVALID_TRACE_TYPE', { data: 'traceTypes: a list of trace, vmTrace and stateDiff' })

/** The requested types, case-insensitive. @throws RpcError */
export const readTraceTypes = (value: unknown): ReadonlySet<TraceType> => {
  if (!Array.isArray(value) || value.length > NAMES_MAX) throw unknownTypes()
  return new Set(
    value.map(name => {
      const type = typeof name === 'string' ? TYPES.get(name.toLowerCase()) : undefined
      if (type === undefined) throw unknownTypes()
      return type
    }),
  )
}

/** Besu puts the revert data of a mined transaction into `revertReason`, that of a call into `output`. */
const outputOf = (
  { failure, output }: TransactionResult,
  isMined: boolean,
): Readonly<Record<string, string>> =>
  isMined && failure?.kind === 'revert'
    ? { output: '0x', revertReason: toHex(output) }
    : { output: toHex(output) }

/** Traces of the requested types, as in trace_call and trace_replayBlockTransactions; the others are empty. */
export const tracesOf =
  (types: ReadonlySet<TraceType>): TracerKind =>
  ({ world, place }, whole) => {
    const budget = objectsBudget(whole)
    const calls = types.has('trace') ? collectCalls(budget) : undefined
    const steps = types.has('vmTrace') ? collectVmTrace(budget) : undefined
    const mark = types.has('stateDiff') ? markState(world) : undefined
    const hooks = [calls?.hooks, steps?.hooks].filter(one => one !== undefined)
    return {
      hooks: joinHooks(hooks),
      finish: result => {
        const isMined = place !== undefined
        return {
          ...outputOf(result, isMined),
          stateDiff: mark === undefined ? null : stateDiffShape(differencesSince(world, mark), budget),
          // Besu leaves out the members about the block here; trace_block has them.
          trace:
            calls === undefined
              ? []
              : flatTraces(calls.root(), result, { isMined, place: undefined }).map(({ json }) => json),
          ...(place === undefined ? {} : { transactionHash: toHex(place.transactionHash) }),
          vmTrace: steps?.trace() ?? null,
        }
      },
    }
  }
