import type { Address } from '../../bytes/bytes.ts'
import { EMPTY_BYTES, ZERO_ADDRESS } from '../../bytes/bytes.ts'
import { bytesToBigint } from '../../bytes/integer.ts'
import type { AccountState } from '../../state/accountState.ts'
import { hasCode } from '../../state/accountState.ts'
import { addressOfLimbs } from '../../state/accountTable.ts'
import { codeOf } from '../../state/executionState.ts'
import { limbsToBytes } from '../../state/limbs.ts'
import type { Frame } from '../frames/frame.ts'
import { parentOf, WORD_ADDRESS, WORD_CALLER, WORD_VALUE } from '../frames/frame.ts'
import { copyOfMemory, memory, memoryOf } from './memory.ts'
import { OPCODES } from './opcodes.ts'
import type { HaltReason } from '../transaction/result.ts'
import { bigintAt } from './stack.ts'
import type { TraceCall, Tracer, TraceStep } from './tracer.ts'

// A step is valid only during its callback, so one object serves all steps.
let stepped: Frame | undefined
let top = 0

const step: { -readonly [Key in keyof TraceStep]: TraceStep[Key] } = {
  pc: 0,
  op: 0,
  gas: 0,
  depth: 0,
  refund: 0,
  address: ZERO_ADDRESS,
  returnData: EMPTY_BYTES,
  stackSize: 0,
  peek: index => bigintAt(top - index),
  stack: () => Array.from({ length: step.stackSize }, (_, i) => bigintAt(top + 1 - step.stackSize + i)),
  memorySize: 0,
  readMemory: (offset, size) => memoryOf(stepped as Frame, offset, size),
  memory: () => memoryOf(stepped as Frame, 0, step.memorySize),
}

/** Gas as one number, rounded above 2^53. */
const gasOf = (frame: Frame): number =>
  frame.gasReserve === 0n ? frame.gas : frame.gas + Number(frame.gasReserve)

/** Reports the instruction at `pc`; `sp` and `gas` are the values before it. */
export const traceStep = (tracer: Tracer, frame: Frame, pc: number, sp: number, gas: number): void => {
  stepped = frame
  top = sp
  step.pc = pc
  step.op = frame.code[pc] ?? 0
  step.gas = frame.gasReserve === 0n ? gas : gas + Number(frame.gasReserve)
  step.depth = frame.depth
  step.refund = frame.context.state.refund
  step.address = frame.account.address
  step.returnData = frame.returnData
  step.stackSize = sp + 1 - frame.base
  step.memorySize = frame.memorySize
  tracer.onStep?.(step)
}

type Limbs = readonly [number, number, number, number, number]

const addressIn = (frame: Frame, word: number): Address => {
  const [k0, k1, k2, k3, k4] = frame.words.subarray(word) as unknown as Limbs
  return addressOfLimbs(k0, k1, k2, k3, k4)
}

/** CALLVALUE of a frame, in wei. */
export const valueOf = (frame: Frame): bigint => bytesToBigint(limbsToBytes(frame.words, WORD_VALUE))

const kindOf = (op: number): TraceCall['kind'] => OPCODES[op]!.name as TraceCall['kind']

const startOfInput = ({ inputAt, inputSize }: Frame, size: number): Uint8Array =>
  memory.bytes.slice(inputAt, inputAt + Math.min(size, inputSize))

/** Reports the begin of a frame; `code` is the account whose code it runs, undefined for a precompile or a creation. */
export const traceEnter = (
  tracer: Tracer,
  frame: Frame,
  to: Address,
  code: AccountState | undefined,
): void => {
  if (tracer.onEnter === undefined) return
  const parent = frame.depth === 0 ? undefined : parentOf(frame)
  const { isCreate } = frame
  const runs = code === undefined || !hasCode(code) ? EMPTY_BYTES : codeOf(frame.context.state, code)
  tracer.onEnter({
    kind: kindOf(frame.op),
    depth: frame.depth,
    from: parent === undefined ? addressIn(frame, WORD_CALLER) : addressIn(parent, WORD_ADDRESS),
    to,
    value: valueOf(frame),
    gas: gasOf(frame),
    callerGas: parent === undefined ? 0 : gasOf(parent),
    // A getter, because the copy takes time and the gas of a call does not depend on the length of its input.
    get input() {
      return isCreate ? frame.code : startOfInput(frame, frame.inputSize)
    },
    inputSize: isCreate ? frame.code.length : frame.inputSize,
    startOfInput: size => (isCreate ? frame.code.slice(0, size) : startOfInput(frame, size)),
    code: isCreate ? frame.code : runs,
    isPrecompile: !isCreate && code === undefined,
  })
}

/** Reports the end of a frame; `gasAtEnd` is its gas after its last instruction. */
export const traceExit = (tracer: Tracer, frame: Frame, gasAtEnd: number): void => {
  tracer.onExit?.({
    depth: frame.depth,
    gasLeft: gasOf(frame),
    gasAtEnd,
    output: frame.output,
    outcome: frame.outcome,
    halt: frame.outcome === 'halt' ? frame.halt : undefined,
  })
}

/** A call or creation that does not begin although its caller has paid for it. */
export type Refused = Pick<TraceCall, 'to' | 'value'> & {
  readonly op: number
  /** Offset of its input in the caller's memory. */
  readonly inputOffset: number
  readonly inputSize: number
  readonly stipend: number
  readonly reason: HaltReason
  /** True when the caller gets the callee's gas back. */
  readonly returnsGas: boolean
  /** Initialization code that did not run because of an address collision; otherwise empty. */
  readonly code: Uint8Array
}

/** Reports a call or creation that does not begin. `frame` is the caller's, without the callee's gas. */
export const traceRefusal = (tracer: Tracer, frame: Frame, refused: Refused): void => {
  const gas = frame.calleeGas + Number(frame.calleeGasReserve) + refused.stipend
  const depth = frame.depth + 1
  const { inputOffset, inputSize } = refused
  tracer.onEnter?.({
    kind: kindOf(refused.op),
    depth,
    from: addressIn(frame, WORD_ADDRESS),
    to: refused.to,
    value: refused.value,
    gas,
    callerGas: gasOf(frame),
    get input() {
      return copyOfMemory(frame, inputOffset, inputSize)
    },
    inputSize,
    startOfInput: size => copyOfMemory(frame, inputOffset, Math.min(size, inputSize)),
    code: refused.code,
    isPrecompile: false,
  })
  const gasLeft = refused.returnsGas ? gas : 0
  const { reason } = refused
  tracer.onExit?.({
    depth,
    gasLeft,
    gasAtEnd: gasLeft,
    output: EMPTY_BYTES,
    outcome: 'halt',
    halt: reason,
  })
}
