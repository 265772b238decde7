/*
 * Instructions that only programs have, with bytes that no fork uses for an opcode, and one instruction each for all sizes
 * of PUSH, DUP and SWAP. Each comment names the operand words that follow the instruction.
 */

/** Checks gas and stack. Operands: gas of the block, items it needs, most items it adds, position in the code. */
export const OP_BLOCK = 0x0c
/** Reports the next instruction to the tracer. Operand: position in the code. */
export const OP_STEP = 0x0d
/** PUSH and JUMP combined. Operand: the target, or -1 for an invalid one. */
export const OP_PUSH_JUMP = 0x0e
export const OP_PUSH_JUMPI = 0x0f
/** Pushes a small integer. Operand: the integer. */
export const OP_PUSH = 0x60
/** Pushes an integer below 2^53. Operands: low and high limb. */
export const OP_PUSH_LONG = 0x61
/** Pushes any other word. Operands: eight limbs. */
export const OP_PUSH_WORD = 0x62
/** Runs a compiled segment, and replaces its beginning. Operands: its index, change of the number of items, words of the segment. */
export const OP_COMPILED = 0x63
/** Copies an item. Operand: its distance below the top. */
export const OP_DUP = 0x80
/** Swaps the top with an item. Operand: its distance below the top. */
export const OP_SWAP = 0x90

/** Replaces each byte that is not an opcode of the fork. Operand: the byte. */
export const INVALID = 0xfe

/** Words of the instructions that have operands. */
const LENGTHS: Readonly<Record<number, number>> = {
  [OP_BLOCK]: 5,
  [OP_STEP]: 2,
  [OP_PUSH_JUMP]: 2,
  [OP_PUSH_JUMPI]: 2,
  [OP_PUSH]: 2,
  [OP_PUSH_LONG]: 3,
  [OP_PUSH_WORD]: 9,
  [OP_COMPILED]: 4,
  [OP_DUP]: 2,
  [OP_SWAP]: 2,
  [INVALID]: 2,
}

/** The number of words of an instruction. */
export const lengthOf = (instruction: number): number => LENGTHS[instruction] ?? 1
