import {
  add,
  and,
  type Binary,
  equal,
  greaterThan,
  isZeroWord,
  lessThan,
  multiply,
  not,
  or,
  signedGreaterThan,
  signedLessThan,
  subtract,
  type Unary,
  xor,
} from './arithmetic.ts'
import type { Word } from './emitter.ts'
import {
  lengthOf,
  OP_DUP,
  OP_PUSH,
  OP_PUSH_LONG,
  OP_PUSH_WORD,
  OP_SWAP,
} from '../interpreter/instructions.ts'

/*
 * A segment is a sequence of instructions within a basic block that change the stack alone. Gas and the height of the stack
 * are checked at the beginning of the block, so a segment cannot fail and needs no check of its own.
 */

const POP = 0x50
export const SHL = 0x1b
export const SHR = 0x1c

export const lengthAt = (words: Int32Array, ip: number): number => lengthOf(words[ip] as number)

export const BINARY: Readonly<Record<number, Binary>> = {
  0x01: add,
  0x02: multiply,
  0x03: subtract,
  0x10: lessThan,
  0x11: greaterThan,
  0x12: signedLessThan,
  0x13: signedGreaterThan,
  0x14: equal,
  0x16: and,
  0x17: or,
  0x18: xor,
}

export const UNARY: Readonly<Record<number, Unary>> = {
  0x15: isZeroWord,
  0x19: not,
}

const WORD_BITS = 256

/** The value of a PUSH; undefined for other instructions. */
const pushedAt = (words: Int32Array, ip: number): bigint | undefined => {
  const op = words[ip]
  if (op === OP_PUSH) return BigInt(words[ip + 1] as number)
  const limbs = op === OP_PUSH_LONG ? 2 : op === OP_PUSH_WORD ? 8 : 0
  if (limbs === 0) return undefined
  let value = 0n
  for (let limb = limbs; limb > 0; limb--) value = (value << 32n) | BigInt((words[ip + limb] as number) >>> 0)
  return value
}

/** A value of the symbolic stack: an item as it was before the segment, by its depth below the top; a constant; or computed. */
export type StackValue = { readonly depth: number } | { readonly constant: bigint } | { readonly word: Word }

export type Simulation = {
  /** The items from the lowest one that was touched. */
  readonly stack: StackValue[]
  /** Items before the segment that the stack above holds. */
  needs: number
}

export const ensureItems = (simulation: Simulation, count: number): void => {
  while (simulation.stack.length < count) simulation.stack.unshift({ depth: simulation.needs++ })
}

const popped = (simulation: Simulation): StackValue => {
  ensureItems(simulation, 1)
  return simulation.stack.pop() as StackValue
}

/** Makes values: with an emitter, or as placeholders while the end of a segment is searched. */
export type Maker = {
  readonly binary: (op: number, a: StackValue, b: StackValue) => StackValue
  readonly unary: (op: number, a: StackValue) => StackValue
  readonly shift: (bits: number, a: StackValue) => StackValue
}

/** Applies one instruction; false when it cannot be part of a segment. */
export const apply = (simulation: Simulation, words: Int32Array, ip: number, make: Maker): boolean => {
  const op = words[ip] as number
  const { stack } = simulation
  const pushed = pushedAt(words, ip)
  if (pushed !== undefined) stack.push({ constant: pushed })
  else if (op === OP_DUP) {
    const distance = words[ip + 1] as number
    ensureItems(simulation, distance + 1)
    stack.push(stack.at(-1 - distance) as StackValue)
  } else if (op === OP_SWAP) {
    const distance = words[ip + 1] as number
    ensureItems(simulation, distance + 1)
    const [top, other] = [stack.length - 1, stack.length - 1 - distance]
    ;[stack[top], stack[other]] = [stack[other] as StackValue, stack[top] as StackValue]
  } else if (op === POP) popped(simulation)
  else if (op === SHL || op === SHR) {
    const bits = stack.at(-1)
    if (bits === undefined || !('constant' in bits)) return false
    stack.pop()
    const value = popped(simulation)
    const count = bits.constant >= BigInt(WORD_BITS) ? WORD_BITS : Number(bits.constant)
    stack.push(make.shift(op === SHL ? count : -count, value))
  } else if (BINARY[op] !== undefined) {
    const a = popped(simulation)
    const b = popped(simulation)
    stack.push(make.binary(op, a, b))
  } else if (UNARY[op] !== undefined) stack.push(make.unary(op, popped(simulation)))
  else return false
  return true
}
