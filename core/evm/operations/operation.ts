import type { Frame } from '../frames/frame.ts'

/**
 * What one opcode does, for those that the interpreter does not do in its own loop. Operands lie at `sp` (the top),
 * `sp - 1` and so on; the result goes to where the last operand was. Fixed gas was charged before. Gives the gas left;
 * negative halts the frame, for want of gas unless it set `frame.halt`.
 */
export type Operation = (frame: Frame, sp: number, gas: number) => number
