import type { Address } from '../../../core/bytes/bytes.ts'
import type { Log } from '../../../core/block/receipt.ts'
import type { HaltReason } from '../../../core/evm/transaction/result.ts'
import type { TraceCall, Tracer, TraceResult } from '../../../core/evm/interpreter/tracer.ts'
import type { Budget } from './budget.ts'

/** A log, and the number of calls of its frame before it. */
export type TracedLog = { readonly log: Log; readonly position: number; readonly index: number }

/** One call, creation or self-destruct, with its inner calls. */
export type CallNode = {
  readonly kind: TraceCall['kind'] | 'SELFDESTRUCT'
  readonly from: Address
  /** The called account, the created contract, or the beneficiary of a self-destruct. */
  readonly to: Address
  /** Wei. */
  readonly value: bigint
  readonly gas: number
  readonly gasUsed: number
  readonly input: Uint8Array
  readonly output: Uint8Array
  readonly outcome: TraceResult['outcome']
  readonly halt: HaltReason | undefined
  readonly isPrecompile: boolean
  readonly calls: readonly CallNode[]
  readonly logs: readonly TracedLog[]
}

type OpenNode = { -readonly [Key in keyof CallNode]: CallNode[Key] } & {
  readonly calls: CallNode[]
  readonly logs: TracedLog[]
  /** True if its logs and those of its inner calls are already removed. */
  isUndone?: boolean
}

const NO_OUTPUT = new Uint8Array(0)

/** Approximate size of a call's JSON without its data. */
const CALL_BYTES = 320
const LOG_BYTES = 320

/** Reasons for which calls and creations do not begin: the caller gets the gas back. */
export const REFUSALS: ReadonlySet<HaltReason> = new Set([
  'max call depth exceeded',
  'insufficient balance for transfer',
  'execution failed',
])

export const wasRefused = ({ halt }: CallNode): boolean => halt !== undefined && REFUSALS.has(halt)

export type CallCollector = {
  readonly hooks: Tracer
  /** The transaction's own call or creation, after its end. */
  readonly root: () => CallNode
}

const selfDestructNode = (from: Address, to: Address, value: bigint): OpenNode => ({
  kind: 'SELFDESTRUCT',
  from,
  to,
  value,
  gas: 0,
  gasUsed: 0,
  input: NO_OUTPUT,
  output: NO_OUTPUT,
  outcome: 'success',
  halt: undefined,
  isPrecompile: false,
  calls: [],
  logs: [],
})

/**
 * Collects the calls of a transaction as a tree. `onlyTop` leaves out inner calls; `withLogs` keeps the logs of frames
 * that succeeded together with all frames around them.
 */
export const collectCalls = (
  budget: Budget,
  { onlyTop = false, withLogs = false }: { readonly onlyTop?: boolean; readonly withLogs?: boolean } = {},
): CallCollector => {
  const open: OpenNode[] = []
  let root: OpenNode | undefined
  let depth = 0
  let logCount = 0

  const enter = (call: TraceCall): void => {
    budget.add(CALL_BYTES + 2 * call.inputSize)
    const node: OpenNode = {
      kind: call.kind,
      from: call.from,
      to: call.to,
      value: call.value,
      gas: call.gas,
      gasUsed: 0,
      input: call.input,
      output: NO_OUTPUT,
      outcome: 'success',
      halt: undefined,
      isPrecompile: call.isPrecompile,
      calls: [],
      logs: [],
    }
    open.at(-1)?.calls.push(node)
    open.push(node)
    root ??= node
  }

  const exit = (result: TraceResult): void => {
    const node = open.pop() as OpenNode
    budget.add(2 * result.output.length)
    node.gasUsed = node.gas - result.gasLeft
    node.output = result.output
    node.outcome = result.outcome
    node.halt = result.halt
    if (withLogs && result.outcome !== 'success') dropLogs(node)
  }

  const selfDestruct = (from: Address, to: Address, value: bigint): void => {
    budget.add(CALL_BYTES)
    open.at(-1)?.calls.push(selfDestructNode(from, to, value))
  }

  const log = (entry: Log): void => {
    const index = logCount++
    if (onlyTop && depth > 0) return
    budget.add(LOG_BYTES + 2 * entry.data.length)
    const node = open.at(-1)
    node?.logs.push({ log: entry, position: node.calls.length, index })
  }

  return {
    hooks: {
      onEnter: call => {
        depth = call.depth
        if (!onlyTop || call.depth === 0) enter(call)
      },
      onExit: result => {
        depth = result.depth - 1
        if (!onlyTop || result.depth === 0) exit(result)
      },
      ...(withLogs ? { onLog: log } : {}),
      ...(onlyTop ? {} : { onSelfDestruct: selfDestruct }),
    },
    root: () => root as CallNode,
  }
}

/** Visits each node once, even if several enclosing frames fail. */
const dropLogs = (node: OpenNode): void => {
  if (node.isUndone === true) return
  node.isUndone = true
  node.logs.length = 0
  for (const call of node.calls) dropLogs(call as OpenNode)
}
