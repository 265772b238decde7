import { toQuantity } from '../../../core/bytes/hex.ts'
import { OPCODES } from '../../../core/evm/interpreter/opcodes.ts'
import type { TraceStep } from '../../../core/evm/interpreter/tracer.ts'
import { type AsciiBuffer, createAsciiBuffer } from '../json/jsonWriter.ts'

/** Most items are small; each text of those is there once, however many steps show it. */
const SMALL: readonly string[] = Array.from({ length: 1024 }, (_, item) => toQuantity(item))

const itemText = (item: bigint): string =>
  item < SMALL.length ? (SMALL[Number(item)] as string) : toQuantity(item)

const DUP1 = 0x80
const DUP16 = 0x8f

/** How many items at the top each opcode may change; the copies that DUP makes change none. */
const CHANGED: readonly number[] = Array.from({ length: 256 }, (_, op) =>
  op >= DUP1 && op <= DUP16 ? 0 : (OPCODES[op]?.inputs ?? 0),
)

/** The stack of a frame as it was written last. */
type StackText = {
  readonly text: AsciiBuffer
  /** Where the text of each item ends, bottom first. */
  readonly ends: number[]
  size: number
  /** Of the step that it was written for. */
  op: number
}

/** Stacks as JSON. Of each, what the step before has left as it was is not written again. */
export type StackTexts = {
  /** A frame begins at that depth: nothing is known of its stack. */
  enter(depth: number): void
  /** A step whose stack is not written. */
  skip(step: TraceStep): void
  /** Writes the items without brackets, bottom first. */
  write(step: TraceStep, to: AsciiBuffer): void
}

export const createStackTexts = (): StackTexts => {
  /** By depth. */
  const stacks: StackText[] = []
  const forget = (depth: number): void => {
    const stack = stacks[depth]
    if (stack !== undefined) stack.size = 0
  }
  return {
    enter: forget,
    skip: ({ depth }) => forget(depth),
    write: (step, to) => {
      const { stackSize, depth } = step
      const stack = (stacks[depth] ??= { text: createAsciiBuffer(), ends: [], size: 0, op: 0 })
      const { text, ends } = stack
      const same = Math.min(Math.max(stack.size - (CHANGED[stack.op] as number), 0), stackSize)
      text.length = same === 0 ? 0 : (ends[same - 1] as number)
      for (let item = same; item < stackSize; item++) {
        text.ascii(item === 0 ? '"' : ',"')
        text.ascii(itemText(step.peek(stackSize - 1 - item)))
        text.ascii('"')
        ends[item] = text.length
      }
      stack.size = stackSize
      stack.op = step.op
      to.append(text.bytes, text.length)
    },
  }
}
