import { toHex } from '../../../../core/bytes/hex.ts'
import type { Address } from '../../../../core/bytes/bytes.ts'
import { callMessage } from '../../../../core/evm/transaction/execute.ts'
import type { TransactionResult } from '../../../../core/evm/transaction/result.ts'
import { type Budget, createBudget } from '../../../../handlers/rpc/tracing/budget.ts'
import { tracerOf } from '../../../../handlers/rpc/tracing/options.ts'
import { readTraceTypes, tracesOf } from '../../../../handlers/rpc/tracing/parity/traceTypes.ts'
import type { TracerKind } from '../../../../handlers/rpc/tracing/traced.ts'
import {
  CALLER,
  CONTRACT,
  environmentOf,
  message,
  type RunOptions,
  worldWith,
} from '../../../core/evm/harness.ts'

export const hex = (address: Address): string => toHex(address)

/** A budget that stands for no request: only the bytes count. */
export const budgetFor = (bytesMax?: number): Budget =>
  createBudget(
    () => 0,
    1,
    () => false,
    bytesMax,
  )

type TraceCodeOptions = RunOptions & { readonly budget?: Budget }

/** The trace of a message to a contract with this code, whose sender has a lot of money, and what the message gave. */
export const traceCode = (
  kind: TracerKind,
  code: Uint8Array,
  options: TraceCodeOptions = {},
): { readonly trace: unknown; readonly result: TransactionResult; readonly bytes: number } => {
  const { fork = 'osaka', others = [], installed = {}, budget = budgetFor() } = options
  const world = worldWith([[CALLER, { balance: 10n ** 20n }], [CONTRACT, { ...installed, code }], ...others])
  const environment = environmentOf(fork, options.environment)
  const sent = message(options.message)
  const { from, to, gasLimit, authorizationList } = sent
  const watching = kind(
    { world, environment, from, to, gasLimit, authorizationList, place: undefined },
    budget,
  )
  const result = callMessage(environment, world, sent, watching.hooks)
  const json = JSON.stringify(watching.finish(result))
  return { trace: JSON.parse(json) as unknown, result, bytes: json.length }
}

/** By the options that debug_traceTransaction takes. */
export const debugTrace = (
  traceOptions: Readonly<Record<string, unknown>>,
  code: Uint8Array,
  options?: TraceCodeOptions,
): unknown => traceCode(tracerOf(traceOptions), code, options).trace

/** By the types that trace_call takes. */
export const parityTrace = (
  types: readonly string[],
  code: Uint8Array,
  options?: TraceCodeOptions,
): unknown => traceCode(tracesOf(readTraceTypes(types)), code, options).trace
