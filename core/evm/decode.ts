import { OPCODES } from './opcodes.ts'
import type { Program } from './program.ts'
import type { Schedule } from './schedule.ts'

/**
 * Instructions that only programs have, in bytes that no fork uses for an opcode, and those that stand for all sizes of
 * PUSH, DUP and SWAP. Behind each stand the words named.
 */
/** Checks gas and stack: gas of the block, items it needs, items it rises by, position in the code. */
export const OP_BLOCK = 0x0c
/** Tells the tracer which instruction comes next: position in the code. */
export const OP_STEP = 0x0d
/** PUSH and JUMP in one: the target, -1 where there is none. */
export const OP_PUSH_JUMP = 0x0e
export const OP_PUSH_JUMPI = 0x0f
/** Pushes an integer: itself. */
export const OP_PUSH = 0x60
/** Pushes an integer below 2^53: low and high limb. */
export const OP_PUSH_LONG = 0x61
/** Pushes any other: eight limbs. */
export const OP_PUSH_WORD = 0x62
/** Copies an item: how far below the top. */
export const OP_DUP = 0x80
/** Swaps the top with an item: how far below. */
export const OP_SWAP = 0x90

const INT32_MAX = 0x7fffffff
/** High limbs below this belong to numbers that a stack item holds in `num`. */
const HIGH_LIMB_MAX = 2097152
const INVALID = 0xfe

/** After these nothing follows but a JUMPDEST: STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT. */
const ENDS = new Set([0x00, 0x56, 0xf3, 0xfd, INVALID, 0xff])
/** After these begins a new block, because they branch or must know the gas that is left exactly. */
const BREAKS = new Set([0x55, 0x57, 0x5a, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa])

/** Words of a block, and of a push of 32 bytes. */
const BLOCK_WORDS = 5
const PUSH_WORD_WORDS = 9

type Draft = {
  words: Int32Array
  length: number
  /** Where the open block begins, -1 when there is none. */
  block: number
  /** Stack height at this point, relative to the beginning of the block. */
  height: number
  /** Places of jump targets, holding positions in the code until all are known. */
  readonly jumps: number[]
}

const emit = (draft: Draft, word: number): void => {
  draft.words[draft.length++] = word
}

/** Makes room for a step, a block and the widest instruction. */
const makeRoom = (draft: Draft): void => {
  if (draft.length + 2 + BLOCK_WORDS + PUSH_WORD_WORDS <= draft.words.length) return
  const words = new Int32Array(2 * draft.words.length)
  words.set(draft.words)
  draft.words = words
}

const beginBlock = (draft: Draft, pc: number): void => {
  draft.block = draft.length
  draft.height = 0
  emit(draft, OP_BLOCK)
  emit(draft, 0)
  emit(draft, 0)
  emit(draft, 0)
  emit(draft, pc)
}

/** Adds an opcode to the checks of the open block. */
const count = (draft: Draft, op: number, gas: number): void => {
  const { words, block } = draft
  const { inputs, outputs } = OPCODES[op]!
  words[block + 1] = words[block + 1]! + gas
  const needs = inputs - draft.height
  if (needs > words[block + 2]!) words[block + 2] = needs
  draft.height += outputs - inputs
  if (draft.height > words[block + 3]!) words[block + 3] = draft.height
}

/** The limbs of a PUSH; bytes beyond the code are zero. */
const pushed = new Int32Array(8)
const readPush = (code: Uint8Array, at: number, size: number): void => {
  pushed.fill(0)
  for (let i = 0; i < size; i++) {
    const place = size - 1 - i
    pushed[place >> 2] = pushed[place >> 2]! | ((code[at + i] ?? 0) << ((place & 3) << 3))
  }
}

/** The number that was read, Infinity when it is no small one. */
const pushedNumber = (): number => {
  for (let i = 2; i < 8; i++) if (pushed[i] !== 0) return Number.POSITIVE_INFINITY
  const high = pushed[1]! >>> 0
  return high < HIGH_LIMB_MAX ? high * 4294967296 + (pushed[0]! >>> 0) : Number.POSITIVE_INFINITY
}

const emitPush = (draft: Draft, value: number): void => {
  if (value <= INT32_MAX) {
    emit(draft, OP_PUSH)
    emit(draft, value)
    return
  }
  const isLong = value !== Number.POSITIVE_INFINITY
  emit(draft, isLong ? OP_PUSH_LONG : OP_PUSH_WORD)
  for (let i = 0; i < (isLong ? 2 : 8); i++) emit(draft, pushed[i]!)
}

const emitWith = (draft: Draft, op: number, word: number): void => {
  emit(draft, op)
  emit(draft, word)
}

const emitOpcode = (draft: Draft, op: number, pc: number, codeLength: number): void => {
  if (op === 0x5f) emitWith(draft, OP_PUSH, 0)
  else if (op === 0x58) emitWith(draft, OP_PUSH, pc)
  else if (op === 0x38) emitWith(draft, OP_PUSH, codeLength)
  else if (op >= 0x80 && op <= 0x8f) emitWith(draft, OP_DUP, op - 0x80)
  else if (op >= 0x90 && op <= 0x9f) emitWith(draft, OP_SWAP, op - 0x8f)
  else if (op !== 0x5b) emit(draft, op)
}

/**
 * Decodes code for a fork. A stepped program has a step and a block before each instruction, for tracing and for finding
 * exactly what went wrong; the plain one is for running fast.
 */
export const decodeProgram = (code: Uint8Array, schedule: Schedule, isStepped: boolean): Program => {
  const draft: Draft = {
    words: new Int32Array(2 * code.length + 32),
    length: 0,
    block: -1,
    height: 0,
    jumps: [],
  }
  const targets = new Int32Array(code.length).fill(-1)
  const steps = isStepped ? new Int32Array(code.length) : undefined
  let isDead = false
  for (let pc = 0; pc < code.length; pc++) {
    let op = code[pc]!
    const at = pc
    const pushSize = op >= 0x60 && op <= 0x7f ? op - 0x5f : 0
    pc += pushSize
    if (op === 0x5b) {
      targets[at] = draft.length
      draft.block = -1
    } else if (isDead) continue
    if (schedule.known[op] === 0) op = INVALID
    makeRoom(draft)
    if (steps !== undefined) {
      steps[at] = draft.length
      emitWith(draft, OP_STEP, at)
    }
    if (draft.block < 0 || isStepped) beginBlock(draft, at)
    count(draft, op, schedule.gas[op]!)
    isDead = ENDS.has(op)
    if (pushSize === 0) {
      emitOpcode(draft, op, at, code.length)
      if (BREAKS.has(op)) draft.block = -1
      continue
    }
    readPush(code, at + 1, pushSize)
    const value = pushedNumber()
    const next = code[pc + 1]
    if (isStepped || (next !== 0x56 && next !== 0x57) || value > INT32_MAX) {
      emitPush(draft, value)
      continue
    }
    count(draft, next, schedule.gas[next]!)
    emit(draft, next === 0x56 ? OP_PUSH_JUMP : OP_PUSH_JUMPI)
    draft.jumps.push(draft.length)
    emit(draft, value)
    draft.block = -1
    isDead = next === 0x56
    pc++
  }
  // Code that runs past its end stops there.
  makeRoom(draft)
  if (isStepped) emitWith(draft, OP_STEP, code.length)
  emit(draft, 0x00)
  const words = draft.words.slice(0, draft.length)
  for (const place of draft.jumps) words[place] = targets[words[place]!] ?? -1
  return { words, targets, steps }
}
