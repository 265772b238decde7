import { STIPEND_GAS } from '../../../../core/evm/gas/costs.ts'
import { CREATE, CREATE2, SSTORE } from '../../../../core/evm/interpreter/opcodeBytes.ts'
import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { memoryGas } from '../../../../core/evm/interpreter/memory.ts'
import { OPCODES } from '../../../../core/evm/interpreter/opcodes.ts'
import type { TraceCall, Tracer, TraceResult, TraceStep } from '../../../../core/evm/interpreter/tracer.ts'
import type { Budget } from '../budget.ts'
import { REFUSALS } from '../calls.ts'
import { type MemoryRange, memoryWritten } from './memoryWritten.ts'

type Memory = { readonly data: string; readonly off: number }

/** Results of an instruction: writes, pushed items, and the gas left. */
type Executed = {
  mem: Memory | null
  readonly push: readonly string[]
  readonly store: { readonly key: string; readonly val: string } | null
  readonly used: number
}

type VmOperation = { cost: number; ex: Executed | null; readonly pc: number; sub: VmTrace | null }

export type VmTrace = { readonly code: string; readonly ops: VmOperation[] }

const OPERATION_BYTES = 90
/** Size of a stack item. */
const ITEM_BYTES = 70

const CREATE_GAS = 32000
const WORD_BYTES = 32

/** An instruction that has begun, with the data for its completion. */
type BegunInstruction = {
  readonly operation: VmOperation
  readonly gas: number
  /** Number of items that it pushes. */
  readonly pushes: number
  readonly written: MemoryRange | undefined
  readonly store: Executed['store']
  /** For a creation: gas of the memory that its initialization code extends. */
  readonly codeMemoryGas: number
}

type OpenFrame = {
  readonly trace: VmTrace
  begun: BegunInstruction | undefined
  /** The call that opened the frame; undefined for the transaction itself. */
  readonly call: Pick<TraceCall, 'kind' | 'value' | 'isPrecompile'> | undefined
}

const emptyTrace = (): VmTrace => ({ code: '0x', ops: [] })

/**
 * A creation pays for memory only after its 32,000 gas. If it cannot pay those, Besu reports the cost of both.
 */
const codeMemoryGasOf = ({ op, stackSize, peek, memorySize }: TraceStep): number => {
  if ((op !== CREATE && op !== CREATE2) || stackSize < 3 || peek(2) === 0n) return 0
  const words = Math.ceil(Number(peek(1) + peek(2)) / WORD_BYTES)
  return Math.max(0, memoryGas(words) - memoryGas(memorySize / WORD_BYTES))
}

/** True if the cost of a call without code excludes the gas that it passed on and got back (as in Besu). */
const excludesPassedGas = ({ call }: OpenFrame, { halt }: TraceResult): boolean =>
  call?.isPrecompile === true ||
  (call?.kind !== 'CALL' && call?.kind !== 'STATICCALL') ||
  (halt !== undefined && REFUSALS.has(halt))

const stipendOf = ({ call }: OpenFrame): number =>
  call !== undefined && call.value > 0n && (call.kind === 'CALL' || call.kind === 'CALLCODE')
    ? STIPEND_GAS
    : 0

const storeOf = ({ op, stackSize, peek }: TraceStep): Executed['store'] =>
  op === SSTORE && stackSize > 1 ? { key: toQuantity(peek(0)), val: toQuantity(peek(1)) } : null

export type VmTraceCollector = { readonly hooks: Tracer; readonly trace: () => VmTrace }

type Collection = {
  readonly budget: Budget
  /** Open frames by depth. */
  readonly frames: (OpenFrame | undefined)[]
  root: VmTrace
  steps: number
  lastIsStop: boolean
}

/** Completes the instruction before `step`, whose stack and memory show its results. */
const complete = ({ budget }: Collection, frame: OpenFrame, step: TraceStep): void => {
  const { begun } = frame
  if (begun === undefined) return
  const { operation, written } = begun
  budget.add(ITEM_BYTES * begun.pushes + 2 * (written?.size ?? 0))
  if (operation.cost < 0) operation.cost = begun.gas - step.gas
  const push: string[] = []
  for (let i = begun.pushes - 1; i >= 0; i--) push.push(toQuantity(step.peek(i)))
  operation.ex = {
    mem:
      written === undefined
        ? null
        : { data: toHex(step.readMemory(written.offset, written.size)), off: written.offset },
    push,
    store: begun.store,
    used: step.gas,
  }
  frame.begun = undefined
}

const onStep = (collection: Collection, step: TraceStep): void => {
  const frame = collection.frames[step.depth] as OpenFrame
  complete(collection, frame, step)
  collection.steps++
  collection.lastIsStop = step.op === 0
  // Code that runs past its end stops there without an instruction.
  if (2 * step.pc + 2 >= frame.trace.code.length) return
  collection.budget.add(OPERATION_BYTES)
  const operation: VmOperation = { cost: -1, ex: null, pc: step.pc, sub: null }
  frame.trace.ops.push(operation)
  frame.begun = {
    operation,
    gas: step.gas,
    pushes: OPCODES[step.op]?.outputs ?? 0,
    written: memoryWritten(step),
    store: storeOf(step),
    codeMemoryGas: codeMemoryGasOf(step),
  }
}

const onEnter = (collection: Collection, call: TraceCall): void => {
  collection.budget.add(2 * call.code.length)
  const trace: VmTrace = { code: toHex(call.code), ops: [] }
  const { kind, value, isPrecompile } = call
  collection.frames[call.depth] = { trace, begun: undefined, call: { kind, value, isPrecompile } }
  if (call.depth === 0) {
    collection.root = trace
    return
  }
  const begun = collection.frames[call.depth - 1]?.begun
  if (begun === undefined) return
  begun.operation.cost = begun.gas - call.callerGas
  begun.operation.sub = trace
}

/** Completes the last instruction of a frame. */
const completeLast = (frame: OpenFrame, begun: BegunInstruction, result: TraceResult): void => {
  const { operation } = begun
  const isKnown = result.gasAtEnd >= 0 || result.halt === 'Out of gas'
  if (operation.cost < 0) operation.cost = isKnown ? begun.gas - result.gasAtEnd : 0
  if (operation.cost === CREATE_GAS && result.halt === 'Out of gas') operation.cost += begun.codeMemoryGas
  if (result.outcome !== 'halt' || result.halt === 'Bad jump destination')
    operation.ex = { mem: null, push: [], store: null, used: result.gasAtEnd }
  // An instruction that could not begin is omitted; one that ran out of gas has no result.
  else if (result.halt !== 'Out of gas' && result.halt !== 'Illegal state change') frame.trace.ops.pop()
}

const onExit = ({ frames }: Collection, result: TraceResult): void => {
  const frame = frames[result.depth]
  frames[result.depth] = undefined
  const parent = result.depth === 0 ? undefined : frames[result.depth - 1]?.begun
  if (parent !== undefined && frame?.trace.code === '0x' && excludesPassedGas(frame, result))
    parent.operation.cost -= result.gasLeft - stipendOf(frame)
  if (frame?.begun !== undefined) completeLast(frame, frame.begun, result)
}

/** Collects each instruction of a transaction with its results (Besu, OpenEthereum). */
export const collectVmTrace = (budget: Budget): VmTraceCollector => {
  const collection: Collection = { budget, frames: [], root: emptyTrace(), steps: 0, lastIsStop: false }
  return {
    hooks: {
      onStep: step => onStep(collection, step),
      onEnter: call => onEnter(collection, call),
      onExit: result => onExit(collection, result),
    },
    trace: () => {
      const { root, steps, lastIsStop } = collection
      return steps === 1 && lastIsStop ? { code: root.code, ops: [] } : root
    },
  }
}
