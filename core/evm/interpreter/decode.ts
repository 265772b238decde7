import { JUMPDEST } from './opcodeBytes.ts'
import { HIGH_LIMB_MAX } from './stack.ts'
import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import type { Steps } from '../../steps.ts'
import {
  INVALID,
  OP_BLOCK,
  OP_DUP,
  OP_PUSH,
  OP_PUSH_JUMP,
  OP_PUSH_JUMPI,
  OP_PUSH_LONG,
  OP_PUSH_WORD,
  OP_STEP,
  OP_SWAP,
} from './instructions.ts'
import { OPCODES } from './opcodes.ts'
import { createProgram, type Program } from './program.ts'
import type { GasSchedule } from '../gas/gasSchedule.ts'

const STOP = 0x00
const CODESIZE = 0x38
const JUMP = 0x56
const JUMPI = 0x57
const PC = 0x58
const PUSH0 = 0x5f

/** After these opcodes only a JUMPDEST can run: STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT. */
const ENDS = [STOP, JUMP, 0xf3, 0xfd, INVALID, 0xff]
/** After these opcodes a new block begins, because they branch or use the exact gas left: SSTORE, GAS, calls, creations. */
const BREAKS = [0x55, JUMPI, 0x5a, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa]

const KIND_PLAIN = 0
const KIND_PUSH = 1
const KIND_CONSTANT = 2
const KIND_DUP = 3
const KIND_SWAP = 4
const KIND_JUMPDEST = 5
const KIND_BREAK = 6
const KIND_END = 7

const kindOf = (op: number): number => {
  if (op > PUSH0 && op <= 0x7f) return KIND_PUSH
  if (op >= 0x80 && op <= 0x8f) return KIND_DUP
  if (op >= 0x90 && op <= 0x9f) return KIND_SWAP
  if (op === PUSH0 || op === PC || op === CODESIZE) return KIND_CONSTANT
  if (op === JUMPDEST) return KIND_JUMPDEST
  if (BREAKS.includes(op)) return KIND_BREAK
  return ENDS.includes(op) ? KIND_END : KIND_PLAIN
}

const KINDS = Uint8Array.from({ length: 256 }, (_, op) => kindOf(op))
const INPUTS = Int32Array.from({ length: 256 }, (_, op) => OPCODES[op]?.inputs ?? 0)
const STACK_DELTAS = Int32Array.from(
  { length: 256 },
  (_, op) => (OPCODES[op]?.outputs ?? 0) - (INPUTS[op] ?? 0),
)

/** Most words that one byte of code needs: a step (2), a block (5), and an opcode with one operand (2). */
const WORDS_PER_BYTE_MAX = 9
/** A longer scratch array is not kept: only initialization code before Shanghai needs one. */
const SCRATCH_WORDS_KEPT = 2 ** 20

let scratch = new Int32Array(2 ** 16)

const scratchFor = (codeLength: number): Int32Array => {
  const needed = WORDS_PER_BYTE_MAX * (codeLength + 1)
  if (needed <= scratch.length) return scratch
  const larger = new Int32Array(needed)
  if (needed <= SCRATCH_WORDS_KEPT) scratch = larger
  return larger
}

/**
 * Writes the PUSH of `size` bytes at `pc` to `words`. Returns the number of words written; bytes beyond the code are zero.
 */
const writePush = (code: Uint8Array, pc: number, size: number, words: Int32Array, at: number): number => {
  if (size <= 3 && pc + size < code.length) {
    let value = 0
    for (let i = 1; i <= size; i++) value = (value << 8) | code[pc + i]!
    words[at] = OP_PUSH
    words[at + 1] = value
    return 2
  }
  words.fill(0, at + 1, at + 9)
  for (let place = 0, from = pc + size; place < size; place++, from--) {
    const limb = at + 1 + (place >> 2)
    words[limb] = words[limb]! | ((code[from] ?? 0) << ((place & 3) << 3))
  }
  let used = 8
  while (used > 1 && words[at + used] === 0) used--
  if (used === 1 && words[at + 1]! >= 0) {
    words[at] = OP_PUSH
    return 2
  }
  const isLong = used < 2 || (used === 2 && words[at + 2]! >>> 0 < HIGH_LIMB_MAX)
  words[at] = isLong ? OP_PUSH_LONG : OP_PUSH_WORD
  return isLong ? 3 : 9
}

/** Code bytes decoded without a pause in a run that may pause: some milliseconds. */
export const DECODED_AT_ONCE_BYTES = 64 * 1024

/** State of a decoding in progress. */
type Decoding = {
  readonly code: Uint8Array
  readonly schedule: GasSchedule
  readonly isStepped: boolean
  words: Int32Array
  readonly targets: Int32Array
  /** The position of the first target. */
  readonly targetsStart: number
  /** Indexes of the operands of jumps whose targets are still positions in the code. */
  readonly jumps: number[]
  /** A PUSH and the JUMP behind it become one instruction where both stand before this position. */
  readonly joinEnd: number
  pc: number
  /** Targets below this position are initialised. */
  clearedTo: number
  at: number
  block: number
  height: number
  isDead: boolean
}

const beginDecoding = (code: Uint8Array, schedule: GasSchedule, isStepped: boolean): Decoding => ({
  code,
  schedule,
  isStepped,
  words: scratchFor(code.length),
  targets: new Int32Array(code.length),
  targetsStart: 0,
  jumps: [],
  joinEnd: code.length,
  pc: 0,
  clearedTo: 0,
  at: 0,
  block: -1,
  height: 0,
  isDead: false,
})

/**
 * Continues the decoding to the position `end`, or a little beyond. One loop over local variables, because initialization
 * code runs only once, so decoding is a large part of its time.
 */
const decodeTo = (decoding: Decoding, end: number): void => {
  const { code, schedule, isStepped, words, targets, targetsStart, jumps, joinEnd } = decoding
  const { gas, known } = schedule
  let { pc, at, block, height, isDead } = decoding
  targets.fill(-1, decoding.clearedTo - targetsStart, end - targetsStart)
  decoding.clearedTo = end
  for (; pc < end; pc++) {
    const byte = code[pc]!
    if (byte === JUMPDEST) {
      targets[pc - targetsStart] = at
      block = -1
      isDead = false
    } else if (isDead) {
      if (KINDS[byte] === KIND_PUSH) pc += byte - PUSH0
      continue
    }
    const op = known[byte] === 1 ? byte : INVALID
    if (isStepped) {
      words[at++] = OP_STEP
      words[at++] = pc
      block = -1
    }
    if (block < 0) {
      block = at
      height = 0
      at = writeBlock(words, at, pc)
    }
    words[block + 1] = words[block + 1]! + gas[op]!
    const needs = INPUTS[op]! - height
    if (needs > words[block + 2]!) words[block + 2] = needs
    height += STACK_DELTAS[op]!
    if (height > words[block + 3]!) words[block + 3] = height
    const kind = KINDS[op]!
    if (kind === KIND_PUSH) {
      const place = at
      at += writePush(code, pc, op - PUSH0, words, at)
      pc += op - PUSH0
      const next = code[pc + 1]
      if (isStepped || (next !== JUMP && next !== JUMPI) || words[place] !== OP_PUSH) continue
      if (pc + 1 >= joinEnd) continue
      words[place] = next === JUMP ? OP_PUSH_JUMP : OP_PUSH_JUMPI
      jumps.push(place + 1)
      words[block + 1] = words[block + 1]! + gas[next]!
      if (next === JUMPI && height < 2 && 2 - height > words[block + 2]!) words[block + 2] = 2 - height
      block = -1
      isDead = next === JUMP
      pc++
      continue
    }
    at = writeOpcode(words, at, op, kind, pc, code)
    if (kind === KIND_BREAK) block = -1
    else if (kind === KIND_END) isDead = true
  }
  decoding.pc = pc
  decoding.at = at
  decoding.block = block
  decoding.height = height
  decoding.isDead = isDead
}

/** Most words that a part of the code needs, including the end. */
const WORDS_PER_PART_MAX = WORDS_PER_BYTE_MAX * (DECODED_AT_ONCE_BYTES + 1)

/** Makes room for the words of one more part. Most code needs far fewer words than the limit. */
const makeRoom = (decoding: Decoding): void => {
  const { words, at } = decoding
  if (at + WORDS_PER_PART_MAX <= words.length) return
  const more = new Int32Array(2 * words.length + WORDS_PER_PART_MAX)
  more.set(words.subarray(0, at))
  decoding.words = more
}

/** Writes the STOP at the end of the code, which also follows a PUSH whose operand the end cuts off. */
const endWords = (decoding: Decoding): void => {
  const { words, isStepped } = decoding
  if (isStepped) {
    words[decoding.at++] = OP_STEP
    words[decoding.at++] = decoding.pc
  }
  words[decoding.at++] = STOP
}

const resolveJumps = ({ words, targets, jumps }: Decoding, start: number, end: number): void => {
  for (let i = start; i < end; i++) words[jumps[i]!] = targets[words[jumps[i]!]!] ?? -1
}

/**
 * Decodes code for a fork. A stepped program has a step and a block before each instruction, for tracing; a plain program
 * runs faster.
 */
export const decodeProgram = (code: Uint8Array, schedule: GasSchedule, isStepped: boolean): Program => {
  const decoding = beginDecoding(code, schedule, isStepped)
  decodeTo(decoding, code.length)
  endWords(decoding)
  resolveJumps(decoding, 0, decoding.jumps.length)
  return createProgram(decoding.words.slice(0, decoding.at), decoding.targets, isStepped)
}

/** Targets in a window that stand for positions of the code in another one: -2 and less. */
export const outside = (position: number): number => -2 - position
/** The position for such a target. */
export const positionOutside = (target: number): number => -2 - target

/**
 * Decodes the code from `start` to `end`, which are the positions of instructions or the end of the code. Jumps to other
 * positions, and what goes on beyond the end, have targets that `positionOutside` gives back.
 * @param isDestination whether a JUMPDEST stands at a position
 * @param allocate gives an array of that length with any content
 */
export const decodePart = (
  { code, schedule, isStepped }: Pick<Decoding, 'code' | 'schedule' | 'isStepped'>,
  start: number,
  end: number,
  isDestination: (position: number) => boolean,
  allocate: (length: number) => Int32Array,
): Pick<Program, 'words' | 'targets'> => {
  const decoding: Decoding = {
    ...beginDecoding(EMPTY_BYTES, schedule, isStepped),
    code,
    words: scratchFor(end - start + 1),
    targets: allocate(end - start),
    targetsStart: start,
    joinEnd: end,
    pc: start,
    clearedTo: start,
  }
  decodeTo(decoding, end)
  const { words, targets, jumps } = decoding
  for (const place of jumps) {
    const position = words[place]!
    const target = position < start || position >= end ? undefined : targets[position - start]!
    words[place] = target ?? (isDestination(position) ? outside(position) : -1)
  }
  if (decoding.pc >= code.length) endWords(decoding)
  else {
    words[decoding.at++] = OP_PUSH_JUMP
    words[decoding.at++] = outside(decoding.pc)
  }
  const kept = allocate(decoding.at)
  kept.set(words.subarray(0, decoding.at))
  return { words: kept, targets }
}

/** As `decodeProgram`, in steps, for long code. */
export function* decodeProgramSteps(
  code: Uint8Array,
  schedule: GasSchedule,
  isStepped: boolean,
): Steps<Program> {
  // Own words instead of the scratch array, because other code may be decoded between two steps.
  const words = new Int32Array(WORDS_PER_PART_MAX)
  const decoding = {
    ...beginDecoding(EMPTY_BYTES, schedule, isStepped),
    code,
    words,
    targets: new Int32Array(code.length),
  }
  while (decoding.pc < code.length) {
    makeRoom(decoding)
    decodeTo(decoding, Math.min(code.length, decoding.pc + DECODED_AT_ONCE_BYTES))
    yield
  }
  endWords(decoding)
  for (let start = 0; start < decoding.jumps.length; start += DECODED_AT_ONCE_BYTES) {
    resolveJumps(decoding, start, Math.min(decoding.jumps.length, start + DECODED_AT_ONCE_BYTES))
    yield
  }
  return createProgram(decoding.words.subarray(0, decoding.at), decoding.targets, isStepped)
}

const writeBlock = (words: Int32Array, at: number, pc: number): number => {
  words[at] = OP_BLOCK
  words[at + 1] = 0
  words[at + 2] = 0
  words[at + 3] = 0
  words[at + 4] = pc
  return at + 5
}

const writeOpcode = (
  words: Int32Array,
  at: number,
  op: number,
  kind: number,
  pc: number,
  code: Uint8Array,
): number => {
  if (kind === KIND_DUP) {
    words[at] = OP_DUP
    words[at + 1] = op - 0x80
    return at + 2
  }
  if (kind === KIND_SWAP) {
    words[at] = OP_SWAP
    words[at + 1] = op - 0x8f
    return at + 2
  }
  if (kind === KIND_CONSTANT) {
    words[at] = OP_PUSH
    words[at + 1] = op === PC ? pc : op === CODESIZE ? code.length : 0
    return at + 2
  }
  if (kind === KIND_JUMPDEST) return at
  words[at] = op
  if (op !== INVALID) return at + 1
  words[at + 1] = code[pc]!
  return at + 2
}

/** Decodes only the block that begins at `start`, up to `limit`, with each instruction as its own block. */
export const decodeBlock = (
  code: Uint8Array,
  schedule: GasSchedule,
  start: number,
  limit = code.length,
): Program => {
  let end = start
  for (; end < limit; end++) {
    const op = code[end]!
    if (op === JUMPDEST && end > start) break
    const kind = schedule.known[op] === 1 ? KINDS[op]! : KIND_END
    if (kind === KIND_PUSH) end += op - PUSH0
    if (kind === KIND_BREAK || kind === KIND_END) {
      end++
      break
    }
  }
  return decodeProgram(code.slice(start, end), schedule, true)
}
