/** Bytes of the opcodes that several files name; opcodes.ts has the table of all. */
export const PREVRANDAO = 0x44
export const SLOAD = 0x54
export const SSTORE = 0x55
export const JUMPDEST = 0x5b
export const CREATE = 0xf0
export const CALL = 0xf1
export const CREATE2 = 0xf5
