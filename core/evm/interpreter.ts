import { EMPTY_BYTES } from '../bytes/bytes.ts'
import { continueInSteps, haltOfBlock } from './block.ts'
import { call } from './call.ts'
import { create } from './create.ts'
import type { Frame, Outcome } from './frame.ts'
import { stackLimitOf, WORD_ADDRESS, WORD_CALLER, WORD_VALUE } from './frame.ts'
import { leave } from './leave.ts'
import { copyOfMemory, expand, memory } from './memory.ts'
import { selfDestruct } from './operations/account.ts'
import { loadInputEdge, loadWord, storeWord } from './operations/data.ts'
import { OPERATIONS, STACK_MOVES } from './operations/operations.ts'
import { load, store } from './operations/storage.ts'
import { shiftLeft, shiftRight } from './shift.ts'
import { copyItem, limbsOfBigint, num, putWord, swapLimbs } from './stack.ts'
import { traceStep } from './trace.ts'
import { add, and, equal, lessThan, multiply, or, subtract, xor } from './word.ts'

const NUMBER_MAX = Number.MAX_SAFE_INTEGER
const INT32_MAX = 0x7fffffff

/**
 * Runs the frame at depth 0, and every frame that is called from it, until it has its outcome. One loop without
 * recursion: calls put their frame on top and returns take it off. The common opcodes are written out here, because
 * JavaScript engines compile one function of this size well, and the case labels are literals, because only those become
 * a jump table. Everything else is a row of OPERATIONS.
 */
export const run = (first: Frame): void => {
  let frame: Frame | undefined = first
  while (frame !== undefined) frame = runFrame(frame)
}

const endWith = (frame: Frame, outcome: Outcome, output: Uint8Array): Frame | undefined => {
  frame.outcome = outcome
  frame.output = output
  return leave(frame)
}

const haltWith = (frame: Frame): Frame | undefined => {
  frame.halt ??= 'Out of gas'
  return endWith(frame, 'halt', EMPTY_BYTES)
}

/** Notes where a frame stands before another takes over. */
const save = (frame: Frame, ip: number, sp: number, gas: number): void => {
  frame.ip = ip
  frame.sp = sp
  frame.gas = gas
}

/** Runs a frame until it ends or another takes over; gives the one to go on with. */
const runFrame = (frame: Frame): Frame | undefined => {
  const stackLimit = stackLimitOf(frame)
  const { base, memoryAt } = frame
  let { program, ip, sp, gas } = frame
  let { ops, args } = program
  let view = memory.view
  for (;;) {
    switch (ops[ip]) {
      case 0x00: // STOP
        frame.gas = gas
        return endWith(frame, 'success', EMPTY_BYTES)
      case 0x01: {
        // ADD
        const sum = num[sp]! + num[sp - 1]!
        if (sum <= NUMBER_MAX) num[sp - 1] = sum
        else add(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x02: {
        // MUL
        const product = num[sp]! * num[sp - 1]!
        if (product <= NUMBER_MAX) num[sp - 1] = product
        else multiply(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x03: {
        // SUB
        const difference = num[sp]! - num[sp - 1]!
        if (difference >= 0) num[sp - 1] = difference
        else subtract(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x0c: {
        // the checks of a block
        const block = args[ip]!
        const height = sp + 1 - base
        gas -= program.blockGas[block]!
        if (
          gas >= 0 &&
          height >= program.blockNeeds[block]! &&
          height + program.blockGrowth[block]! <= stackLimit
        ) {
          ip++
          continue
        }
        gas += program.blockGas[block]!
        if (program.isStepped || frame.depth > 0) {
          frame.halt = haltOfBlock(program, block, height, stackLimit)
          return haltWith(frame)
        }
        ip = continueInSteps(frame, block)
        program = frame.program
        ops = program.ops
        args = program.args
        continue
      }
      case 0x0d: // a step
        if (frame.context.tracer !== undefined) traceStep(frame.context.tracer, frame, args[ip]!, sp, gas)
        ip++
        continue
      case 0x0e: // PUSH and JUMP
        ip = args[ip]!
        if (ip >= 0) continue
        frame.halt = 'Bad jump destination'
        return haltWith(frame)
      case 0x0f: // PUSH and JUMPI
        if (num[sp--] === 0) {
          ip++
          continue
        }
        ip = args[ip]!
        if (ip >= 0) continue
        frame.halt = 'Bad jump destination'
        return haltWith(frame)
      case 0x10: // LT
        num[sp - 1] = lessThan(sp, sp - 1) ? 1 : 0
        sp--
        ip++
        continue
      case 0x11: // GT
        num[sp - 1] = lessThan(sp - 1, sp) ? 1 : 0
        sp--
        ip++
        continue
      case 0x14: // EQ
        num[sp - 1] = equal(sp, sp - 1) ? 1 : 0
        sp--
        ip++
        continue
      case 0x15: // ISZERO
        num[sp] = num[sp] === 0 ? 1 : 0
        ip++
        continue
      case 0x16: {
        // AND
        const a = num[sp]!
        const b = num[sp - 1]!
        if (a <= INT32_MAX && b <= INT32_MAX) num[sp - 1] = a & b
        else and(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x17: {
        // OR
        const a = num[sp]!
        const b = num[sp - 1]!
        if (a <= INT32_MAX && b <= INT32_MAX) num[sp - 1] = a | b
        else or(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x18: // XOR
        xor(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      case 0x1b: // SHL
        shiftLeft(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      case 0x1c: // SHR
        shiftRight(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      case 0x30: // ADDRESS
        putWord(++sp, frame.words, WORD_ADDRESS)
        ip++
        continue
      case 0x33: // CALLER
        putWord(++sp, frame.words, WORD_CALLER)
        ip++
        continue
      case 0x34: // CALLVALUE
        putWord(++sp, frame.words, WORD_VALUE)
        ip++
        continue
      case 0x35: {
        // CALLDATALOAD
        const offset = num[sp]!
        if (offset + 32 <= frame.inputSize) loadWord(view, frame.inputAt + offset, sp)
        else loadInputEdge(frame, sp)
        ip++
        continue
      }
      case 0x36: // CALLDATASIZE
        num[++sp] = frame.inputSize
        ip++
        continue
      case 0x32: // ORIGIN
      case 0x3a: // GASPRICE
      case 0x41: // COINBASE
      case 0x42: // TIMESTAMP
      case 0x43: // NUMBER
      case 0x44: // PREVRANDAO
      case 0x45: // GASLIMIT
      case 0x46: // CHAINID
      case 0x48: // BASEFEE
      case 0x4a: // BLOBBASEFEE
        putWord(++sp, frame.context.constants, (ops[ip]! - 0x30) << 3)
        ip++
        continue
      case 0x50: // POP
        sp--
        ip++
        continue
      case 0x51: {
        // MLOAD
        const offset = num[sp]!
        if (!(offset + 32 <= frame.memorySize)) {
          gas = expand(frame, offset, 32, gas)
          if (gas < 0) return haltWith(frame)
          view = memory.view
        }
        loadWord(view, memoryAt + offset, sp)
        ip++
        continue
      }
      case 0x52: {
        // MSTORE
        const offset = num[sp]!
        if (!(offset + 32 <= frame.memorySize)) {
          gas = expand(frame, offset, 32, gas)
          if (gas < 0) return haltWith(frame)
          view = memory.view
        }
        storeWord(view, memoryAt + offset, sp - 1)
        sp -= 2
        ip++
        continue
      }
      case 0x54: // SLOAD
        gas = load(frame, sp, gas)
        if (gas < 0) return haltWith(frame)
        ip++
        continue
      case 0x55: // SSTORE
        gas = store(frame, sp, gas)
        if (gas < 0) return haltWith(frame)
        sp -= 2
        ip++
        continue
      case 0x56: {
        // JUMP
        const target = program.targets[num[sp--]!] ?? -1
        ip = target
        if (target >= 0) continue
        frame.halt = 'Bad jump destination'
        return haltWith(frame)
      }
      case 0x57: {
        // JUMPI
        sp -= 2
        if (num[sp + 1] === 0) {
          ip++
          continue
        }
        ip = program.targets[num[sp + 2]!] ?? -1
        if (ip >= 0) continue
        frame.halt = 'Bad jump destination'
        return haltWith(frame)
      }
      case 0x5a: // GAS
        if (frame.reserve === 0n) num[++sp] = gas
        else putWord(++sp, limbsOfBigint(BigInt(gas) + frame.reserve), 0)
        ip++
        continue
      case 0x60: // PUSH
        num[++sp] = args[ip]!
        ip++
        continue
      case 0x61: {
        // PUSH of a constant
        const constant = args[ip]!
        const value = program.constants[constant]!
        if (value === value) num[++sp] = value
        else putWord(++sp, program.constantLimbs, constant << 3)
        ip++
        continue
      }
      case 0x80: // DUP
        copyItem(sp - args[ip]!, sp + 1)
        sp++
        ip++
        continue
      case 0x90: {
        // SWAP
        const other = sp - args[ip]!
        const a = num[sp]!
        const b = num[other]!
        num[sp] = b
        num[other] = a
        if (a !== a || b !== b) swapLimbs(sp, other)
        ip++
        continue
      }
      case 0xf0: // CREATE
      case 0xf5: // CREATE2
        save(frame, ip + 1, sp, gas)
        return create(frame, ops[ip]!) ?? haltWith(frame)
      case 0xf1: // CALL
      case 0xf2: // CALLCODE
      case 0xf4: // DELEGATECALL
      case 0xfa: // STATICCALL
        save(frame, ip + 1, sp, gas)
        return call(frame, ops[ip]!) ?? haltWith(frame)
      case 0xf3: // RETURN
      case 0xfd: // REVERT
        gas = expand(frame, num[sp]!, num[sp - 1]!, gas)
        if (gas < 0) return haltWith(frame)
        frame.gas = gas
        return endWith(
          frame,
          ops[ip] === 0xfd ? 'revert' : 'success',
          copyOfMemory(frame, num[sp]!, num[sp - 1]!),
        )
      case 0xff: // SELFDESTRUCT
        frame.gas = selfDestruct(frame, sp, gas)
        return frame.gas < 0 ? haltWith(frame) : endWith(frame, 'success', EMPTY_BYTES)
      default: {
        const op = ops[ip]!
        gas = OPERATIONS[op]!(frame, sp, gas)
        if (gas < 0) return haltWith(frame)
        view = memory.view
        sp += STACK_MOVES[op]!
        ip++
      }
    }
  }
}
