import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { OPCODES } from '../../../../core/evm/opcodes.ts'
import type { TraceCall, Tracer, TraceResult, TraceStep } from '../../../../core/evm/tracer.ts'
import type { Budget } from '../budget.ts'
import { type MemoryRange, memoryWritten } from './memoryWritten.ts'

type Memory = { readonly data: string; readonly off: number }

/** What an instruction did: what it wrote and pushed, and the gas that was left. */
type Executed = {
  mem: Memory | null
  readonly push: readonly string[]
  readonly store: { readonly key: string; readonly val: string } | null
  readonly used: number
}

type VmOperation = { cost: number; ex: Executed | null; readonly pc: number; sub: VmTrace | null }

export type VmTrace = { readonly code: string; readonly ops: VmOperation[] }

const OPERATION_BYTES = 90
const WORD_BYTES = 70

const SSTORE = 0x55
/** CALL and CALLCODE hand this on top of what they take, where they send money. */
const STIPEND_GAS = 2300

/** An instruction that has begun: what must be known of it once it is through. */
type Begun = {
  readonly operation: VmOperation
  readonly gas: number
  /** How many items it leaves on top. */
  readonly pushes: number
  readonly written: MemoryRange | undefined
  readonly store: Executed['store']
  /** For a call: the most bytes of the answer that go to memory. */
  readonly isCall: boolean
}

type OpenFrame = { readonly trace: VmTrace; begun: Begun | undefined }

const emptyTrace = (): VmTrace => ({ code: '0x', ops: [] })

const isCallOrCreate = (op: number): boolean => op >= 0xf0 && op !== 0xf3 && op < 0xfb

const storeOf = ({ op, stackSize, peek }: TraceStep): Executed['store'] =>
  op === SSTORE && stackSize > 1 ? { key: toQuantity(peek(0)), val: toQuantity(peek(1)) } : null

export type VmTraceCollector = { readonly hooks: Tracer; readonly trace: () => VmTrace }

/** Collects each instruction of a transaction with what it did (Besu, OpenEthereum). */
export const collectVmTrace = (budget: Budget): VmTraceCollector => {
  const frames: (OpenFrame | undefined)[] = []
  let root = emptyTrace()
  let steps = 0
  let lastIsStop = false

  /** The instruction before is through: the stack and memory of `step` are what it left. */
  const complete = (frame: OpenFrame, step: TraceStep): void => {
    const { begun } = frame
    if (begun === undefined) return
    const { operation, written, isCall } = begun
    const size =
      written === undefined ? 0 : isCall ? Math.min(written.size, step.returnData.length) : written.size
    budget.spend(WORD_BYTES * begun.pushes + 2 * size)
    if (operation.cost < 0) operation.cost = begun.gas - step.gas
    const push: string[] = []
    for (let i = begun.pushes - 1; i >= 0; i--) push.push(toQuantity(step.peek(i)))
    operation.ex = {
      mem:
        written === undefined || size === 0
          ? null
          : { data: toHex(step.readMemory(written.offset, size)), off: written.offset },
      push,
      store: begun.store,
      used: step.gas,
    }
    frame.begun = undefined
  }

  const onStep = (step: TraceStep): void => {
    const frame = frames[step.depth] as OpenFrame
    complete(frame, step)
    steps++
    lastIsStop = step.op === 0
    // Code that runs past its end stops there without an instruction.
    if (2 * step.pc + 2 >= frame.trace.code.length) return
    budget.spend(OPERATION_BYTES)
    const operation: VmOperation = { cost: -1, ex: null, pc: step.pc, sub: null }
    frame.trace.ops.push(operation)
    frame.begun = {
      operation,
      gas: step.gas,
      pushes: OPCODES[step.op]?.outputs ?? 0,
      written: memoryWritten(step),
      store: storeOf(step),
      isCall: isCallOrCreate(step.op),
    }
  }

  const onEnter = (call: TraceCall): void => {
    budget.spend(2 * call.code.length)
    const trace: VmTrace = { code: toHex(call.code), ops: [] }
    frames[call.depth] = { trace, begun: undefined }
    if (call.depth === 0) {
      root = trace
      return
    }
    const begun = frames[call.depth - 1]?.begun
    if (begun === undefined) return
    begun.operation.cost = begun.gas - call.callerGas
    begun.operation.sub = trace
    // What a callee without code gives back was not spent on it.
    if (call.code.length === 0) {
      const hasStipend = call.value > 0n && (call.kind === 'CALL' || call.kind === 'CALLCODE')
      begun.operation.cost += hasStipend ? STIPEND_GAS : 0
    }
  }

  const onExit = (result: TraceResult): void => {
    const frame = frames[result.depth]
    frames[result.depth] = undefined
    const parent = result.depth === 0 ? undefined : frames[result.depth - 1]?.begun
    if (parent !== undefined && frame !== undefined && frame.trace.code === '0x')
      parent.operation.cost -= result.gasLeft
    const begun = frame?.begun
    if (frame === undefined || begun === undefined) return
    const { operation } = begun
    const isKnown = result.gasAtEnd >= 0 || result.halt === 'Out of gas'
    if (operation.cost < 0) operation.cost = isKnown ? begun.gas - result.gasAtEnd : 0
    if (result.outcome !== 'halt' || result.halt === 'Bad jump destination')
      operation.ex = { mem: null, push: [], store: null, used: result.gasAtEnd }
    // What could not even begin is none of the instructions; what ran out of gas is one without a result.
    else if (result.halt !== 'Out of gas' && result.halt !== 'Illegal state change') frame.trace.ops.pop()
  }

  return {
    hooks: { onStep, onEnter, onExit },
    trace: () => (steps === 1 && lastIsStop ? { code: root.code, ops: [] } : root),
  }
}
