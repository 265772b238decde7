import type { Address } from '../bytes/bytes.ts'
import { bytesToBigint } from '../bytes/integer.ts'
import { addressOfLimbs } from '../state/accountTable.ts'
import { limbsToBytes } from '../state/limbs.ts'
import type { Frame } from './frame.ts'
import { WORD_CALLER, WORD_VALUE } from './frame.ts'
import { memory } from './memory.ts'
import { OPCODES } from './opcodes.ts'
import { bigintAt } from './stack.ts'
import type { TraceCall, Tracer } from './tracer.ts'

/** Tells of the instruction at `pc`; `sp` and `gas` are those before it. */
export const traceStep = (tracer: Tracer, frame: Frame, pc: number, sp: number, gas: number): void => {
  tracer.onStep?.({
    pc,
    op: frame.code[pc] ?? 0,
    gas,
    depth: frame.depth,
    refund: frame.context.state.refund,
    address: frame.account.address,
    returnData: frame.returnData,
    stack: () => Array.from({ length: sp + 1 - frame.base }, (_, i) => bigintAt(frame.base + i)),
    memory: () => memory.bytes.slice(frame.memoryAt, frame.memoryAt + frame.memorySize),
  })
}

const callerOf = (frame: Frame): Address => {
  const [k0, k1, k2, k3, k4] = frame.words.subarray(WORD_CALLER) as unknown as Limbs
  return addressOfLimbs(k0, k1, k2, k3, k4)
}

type Limbs = readonly [number, number, number, number, number]

export const traceEnter = (tracer: Tracer, frame: Frame, to: Address): void => {
  tracer.onEnter?.({
    kind: OPCODES[frame.op]!.name as TraceCall['kind'],
    depth: frame.depth,
    from: callerOf(frame),
    to,
    value: bytesToBigint(limbsToBytes(frame.words, WORD_VALUE)),
    gas: frame.gas,
    input: frame.isCreate ? frame.code : memory.bytes.slice(frame.inputAt, frame.inputAt + frame.inputSize),
  })
}

export const traceExit = (tracer: Tracer, frame: Frame): void => {
  tracer.onExit?.({
    depth: frame.depth,
    gasLeft: frame.gas,
    output: frame.output,
    outcome: frame.outcome,
    halt: frame.outcome === 'halt' ? frame.halt : undefined,
  })
}
