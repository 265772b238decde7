import type { Frame } from '../frames/frame.ts'

/**
 * An opcode that the interpreter does not run in its own loop. Operands are at `sp` (the top), `sp - 1` and so on; the
 * result replaces the last operand. Fixed gas was charged before. Returns the gas left. A negative result halts the frame,
 * with `frame.halt` as the reason, or out of gas if that is undefined.
 */
export type Operation = (frame: Frame, sp: number, gas: number) => number
