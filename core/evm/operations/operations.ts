import { OPCODES } from '../interpreter/opcodes.ts'
import { ACCOUNT } from './account.ts'
import { ARITHMETIC } from './arithmetic.ts'
import { BLOCK } from './block.ts'
import { DATA } from './data.ts'
import { LOG } from './log.ts'
import type { Operation } from './operation.ts'
import { STORAGE } from './storage.ts'

const runByInterpreter: Operation = () => {
  throw new RangeError('the interpreter runs this opcode itself')
}

const ALL: Readonly<Record<number, Operation>> = {
  ...ARITHMETIC,
  ...DATA,
  ...ACCOUNT,
  ...BLOCK,
  ...LOG,
  ...STORAGE,
}

/** By opcode byte. */
export const OPERATIONS: readonly Operation[] = Array.from(
  { length: 256 },
  (_, byte) => ALL[byte] ?? runByInterpreter,
)

/** For each opcode byte, the change of the number of stack items. */
export const STACK_DELTAS: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  const opcode = OPCODES[byte]
  return opcode === undefined ? 0 : opcode.outputs - opcode.inputs
})
