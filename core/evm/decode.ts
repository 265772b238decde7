import { OPCODES } from './opcodes.ts'
import type { Program } from './program.ts'
import type { Schedule } from './schedule.ts'

/** Instructions of programs, in bytes that no fork uses for an opcode; those of PUSH, DUP and SWAP stand for all sizes. */
/** Checks gas and stack for the block whose number is in `args`. */
export const OP_BLOCK = 0x0c
/** Tells the tracer that the instruction at the position in `args` comes next. */
export const OP_STEP = 0x0d
/** PUSH and JUMP in one; the target is in `args`, -1 where there is none. */
export const OP_PUSH_JUMP = 0x0e
export const OP_PUSH_JUMPI = 0x0f
/** Pushes the integer in `args`. */
export const OP_PUSH = 0x60
/** Pushes the constant whose number is in `args`. */
export const OP_PUSH_CONSTANT = 0x61
/** Copies the item that lies `args` below the top. */
export const OP_DUP = 0x80
/** Swaps the top with the item that lies `args` below it. */
export const OP_SWAP = 0x90

const INT32_MAX = 0x7fffffff
const INVALID = 0xfe

/** After these nothing follows but a JUMPDEST: STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT. */
const ENDS = new Set([0x00, 0x56, 0xf3, 0xfd, INVALID, 0xff])
/** After these begins a new block, because they branch or must know the gas that is left exactly. */
const BREAKS = new Set([0x55, 0x57, 0x5a, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa])

type Draft = {
  readonly ops: Uint8Array
  readonly args: Int32Array
  length: number
  readonly constants: number[]
  readonly constantLimbs: number[]
  readonly blockStarts: number[]
  readonly blockGas: number[]
  readonly blockNeeds: number[]
  readonly blockGrowth: number[]
  /** Stack height at this point, relative to the beginning of the block. */
  height: number
}

const emit = (draft: Draft, op: number, arg: number): void => {
  draft.ops[draft.length] = op
  draft.args[draft.length++] = arg
}

const beginBlock = (draft: Draft, at: number): void => {
  emit(draft, OP_BLOCK, draft.blockGas.length)
  draft.blockStarts.push(at)
  draft.blockGas.push(0)
  draft.blockNeeds.push(0)
  draft.blockGrowth.push(0)
  draft.height = 0
}

const account = (draft: Draft, op: number, gas: number): void => {
  const opcode = OPCODES[op]!
  const block = draft.blockGas.length - 1
  draft.blockGas[block] = draft.blockGas[block]! + gas
  const needs = opcode.inputs - draft.height
  if (needs > draft.blockNeeds[block]!) draft.blockNeeds[block] = needs
  draft.height += opcode.outputs - opcode.inputs
  if (draft.height > draft.blockGrowth[block]!) draft.blockGrowth[block] = draft.height
}

/** The value of a PUSH: a number, or NaN with its limbs in `wide`; bytes beyond the code are zero. */
const wide = new Int32Array(8)
const pushValue = (code: Uint8Array, at: number, size: number): number => {
  wide.fill(0)
  for (let i = 0; i < size; i++) {
    const byte = code[at + i] ?? 0
    const place = size - 1 - i
    wide[place >> 2] = wide[place >> 2]! | (byte << ((place & 3) << 3))
  }
  const high = wide[1]! >>> 0
  if ((wide[2]! | wide[3]! | wide[4]! | wide[5]! | wide[6]! | wide[7]!) !== 0 || high >= 2097152)
    return Number.NaN
  return high * 4294967296 + (wide[0]! >>> 0)
}

const emitPush = (draft: Draft, value: number): void => {
  if (value <= INT32_MAX) {
    emit(draft, OP_PUSH, value)
    return
  }
  emit(draft, OP_PUSH_CONSTANT, draft.constants.length)
  draft.constants.push(value)
  draft.constantLimbs.push(...wide)
}

/**
 * Decodes code for a fork. A stepped program has a step and a block before each instruction, for tracing and for finding
 * exactly what went wrong; the plain one is for running fast.
 */
export const decodeProgram = (code: Uint8Array, schedule: Schedule, isStepped: boolean): Program => {
  // At most a step, a block and the instruction for each byte, and the STOP at the end.
  const room = 3 * code.length + 2
  const draft: Draft = {
    ops: new Uint8Array(room),
    args: new Int32Array(room),
    length: 0,
    constants: [],
    constantLimbs: [],
    blockStarts: [],
    blockGas: [],
    blockNeeds: [],
    blockGrowth: [],
    height: 0,
  }
  const targets = new Int32Array(code.length).fill(-1)
  let isOpen = false
  let isDead = false
  for (let pc = 0; pc < code.length; pc++) {
    let op = code[pc]!
    const pushSize = op >= 0x60 && op <= 0x7f ? op - 0x5f : 0
    const at = pc
    pc += pushSize
    if (op === 0x5b) {
      targets[at] = draft.length
      isDead = false
      isOpen = false
    } else if (isDead) continue
    if (schedule.known[op] === 0) op = INVALID
    if (isStepped) emit(draft, OP_STEP, at)
    if (!isOpen || isStepped) beginBlock(draft, at)
    isOpen = !BREAKS.has(op)
    isDead = ENDS.has(op)
    account(draft, op, schedule.gas[op]!)
    if (pushSize > 0) {
      const value = pushValue(code, at + 1, pushSize)
      const next = code[pc + 1]
      if (!isStepped && (next === 0x56 || next === 0x57) && value <= INT32_MAX) {
        account(draft, next, schedule.gas[next]!)
        emit(draft, next === 0x56 ? OP_PUSH_JUMP : OP_PUSH_JUMPI, value)
        isDead = next === 0x56
        isOpen = false
        pc++
      } else emitPush(draft, value)
    } else if (op === 0x5f) emit(draft, OP_PUSH, 0)
    else if (op === 0x58) emit(draft, OP_PUSH, at)
    else if (op === 0x38) emit(draft, OP_PUSH, code.length)
    else if (op >= 0x80 && op <= 0x8f) emit(draft, OP_DUP, op - 0x80)
    else if (op >= 0x90 && op <= 0x9f) emit(draft, OP_SWAP, op - 0x8f)
    else if (op !== 0x5b) emit(draft, op, at)
  }
  // Code that runs past its end stops there.
  if (isStepped) emit(draft, OP_STEP, code.length)
  emit(draft, 0x00, code.length)
  resolveJumps(draft, targets)
  return {
    ops: draft.ops.slice(0, draft.length),
    args: draft.args.slice(0, draft.length),
    constants: Float64Array.from(draft.constants),
    constantLimbs: Int32Array.from(draft.constantLimbs),
    blockStarts: Int32Array.from(draft.blockStarts),
    blockGas: Int32Array.from(draft.blockGas),
    blockNeeds: Int32Array.from(draft.blockNeeds),
    blockGrowth: Int32Array.from(draft.blockGrowth),
    targets,
    isStepped,
  }
}

const resolveJumps = (draft: Draft, targets: Int32Array): void => {
  for (let ip = 0; ip < draft.length; ip++) {
    const op = draft.ops[ip]
    if (op === OP_PUSH_JUMP || op === OP_PUSH_JUMPI) draft.args[ip] = targets[draft.args[ip]!] ?? -1
  }
}
