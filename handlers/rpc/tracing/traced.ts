import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import type { Authorization } from '../../../core/block/transaction.ts'
import type { BlockEnvironment } from '../../../core/evm/transaction/environment.ts'
import type { TransactionResult } from '../../../core/evm/transaction/result.ts'
import type { Tracer } from '../../../core/evm/interpreter/tracer.ts'
import type { WorldState } from '../../../core/state/world.ts'
import type { Budget } from './budget.ts'

/** Position of a transaction in a block. */
export type Place = {
  readonly blockHash: Hash
  readonly blockNumber: bigint
  readonly transactionHash: Hash
  readonly index: number
}

/** The traced transaction of a block, or the traced call. */
export type Traced = {
  /** The state just before the transaction; the tracer may read it during the run. */
  readonly world: WorldState
  readonly environment: BlockEnvironment
  readonly from: Address
  /** Undefined for a creation. */
  readonly to: Address | undefined
  readonly gasLimit: bigint
  readonly authorizationList: readonly Authorization[]
  /** Undefined for a call, which is not part of a block. */
  readonly place: Place | undefined
}

export type RunTracer = {
  readonly hooks: Tracer
  /** The trace as JSON; called after the transaction and before anything else runs. */
  readonly finish: (result: TransactionResult) => unknown
}

/** Creates the tracer of one transaction. The tracer counts the size of the trace against the budget. */
export type TracerKind = (traced: Traced, budget: Budget) => RunTracer

/** Joins several tracers into one, with only the hooks that at least one of them has. */
export const joinHooks = (hooks: readonly Tracer[]): Tracer => {
  const having = <Name extends keyof Tracer>(name: Name) =>
    hooks.flatMap(({ [name]: hook }) => (hook === undefined ? [] : [hook]))
  const steps = having('onStep')
  const enters = having('onEnter')
  const exits = having('onExit')
  const logs = having('onLog')
  const ends = having('onSelfDestruct')
  return {
    ...(steps.length === 0 ? {} : { onStep: step => steps.forEach(hook => hook(step)) }),
    ...(enters.length === 0 ? {} : { onEnter: call => enters.forEach(hook => hook(call)) }),
    ...(exits.length === 0 ? {} : { onExit: result => exits.forEach(hook => hook(result)) }),
    ...(logs.length === 0 ? {} : { onLog: log => logs.forEach(hook => hook(log)) }),
    ...(ends.length === 0
      ? {}
      : { onSelfDestruct: (from, to, wei) => ends.forEach(hook => hook(from, to, wei)) }),
  }
}
