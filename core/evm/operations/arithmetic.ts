import {
  addModulo,
  divide,
  divideSigned,
  multiplyModulo,
  remainder,
  remainderSigned,
} from '../words/division.ts'
import { power } from '../words/power.ts'
import { byteLength, byteOf, leadingZeros, shiftRightSigned, signExtend } from '../words/shift.ts'
import { numbers } from '../interpreter/stack.ts'
import { not, signedLessThan } from '../words/word.ts'
import type { Operation } from './operation.ts'

const binary =
  (compute: (a: number, b: number, to: number) => void): Operation =>
  (_, sp, gas) => {
    compute(sp, sp - 1, sp - 1)
    return gas
  }

const exp: Operation = (frame, sp, gas) => {
  const left = gas - frame.context.schedule.expByteGas * byteLength(sp - 1)
  if (left >= 0) power(sp, sp - 1, sp - 1, sp)
  return left
}

export const ARITHMETIC: Readonly<Record<number, Operation>> = {
  0x04: binary(divide),
  0x05: binary(divideSigned),
  0x06: binary(remainder),
  0x07: binary(remainderSigned),
  0x08: (_, sp, gas) => {
    addModulo(sp, sp - 1, sp - 2, sp - 2)
    return gas
  },
  0x09: (_, sp, gas) => {
    multiplyModulo(sp, sp - 1, sp - 2, sp - 2)
    return gas
  },
  0x0a: exp,
  0x0b: binary(signExtend),
  0x12: (_, sp, gas) => {
    numbers[sp - 1] = signedLessThan(sp, sp - 1) ? 1 : 0
    return gas
  },
  0x13: (_, sp, gas) => {
    numbers[sp - 1] = signedLessThan(sp - 1, sp) ? 1 : 0
    return gas
  },
  0x19: (_, sp, gas) => {
    not(sp)
    return gas
  },
  0x1a: binary(byteOf),
  0x1d: binary(shiftRightSigned),
  0x1e: (_, sp, gas) => {
    leadingZeros(sp)
    return gas
  },
}
