import { toQuantity } from '../../../core/bytes/hex.ts'
import { OPCODES } from '../../../core/evm/interpreter/opcodes.ts'
import type { TraceStep } from '../../../core/evm/interpreter/tracer.ts'
import { type AsciiBuffer, createAsciiBuffer } from '../json/jsonWriter.ts'

/** Texts of small items, which are the most frequent ones; shared by all steps. */
const SMALL: readonly string[] = Array.from({ length: 1024 }, (_, item) => toQuantity(item))

const itemText = (item: bigint): string =>
  item < SMALL.length ? (SMALL[Number(item)] as string) : toQuantity(item)

const DUP1 = 0x80
const DUP16 = 0x8f

/** Number of top items that each opcode can change; DUP changes none. */
const CHANGED: readonly number[] = Array.from({ length: 256 }, (_, op) =>
  op >= DUP1 && op <= DUP16 ? 0 : (OPCODES[op]?.inputs ?? 0),
)

/** The last written stack of a frame. */
type StackText = {
  readonly text: AsciiBuffer
  /** End of the text of each item, bottom first. */
  readonly ends: number[]
  size: number
  /** Opcode of the step that it belongs to. */
  op: number
}

/** Stacks as JSON. Items that the previous step left unchanged are not written again. */
export type StackTexts = {
  /** Discards the stack of that depth, where a frame begins. */
  enter(depth: number): void
  /** Records a step whose stack is not written. */
  skip(step: TraceStep): void
  /** Writes the items without brackets, bottom first. */
  write(step: TraceStep, to: AsciiBuffer): void
}

export const createStackTexts = (): StackTexts => {
  /** Last stacks by depth. */
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
