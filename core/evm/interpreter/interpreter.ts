import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { copyWord } from '../../state/limbs.ts'
import { continueInSteps, haltOfBlock } from './basicBlock.ts'
import { call } from '../frames/call.ts'
import { create } from '../frames/create.ts'
import type { Frame } from '../frames/frame.ts'
import { stackLimitOf, WORD_ADDRESS, WORD_CALLER, WORD_VALUE } from '../frames/frame.ts'
import { endWith, endWithMemory, haltWith, stopAt, stopOperation } from '../frames/ending.ts'
import { expand, memory } from './memory.ts'
import { selfDestruct } from '../operations/account.ts'
import { loadInputEdge, loadWord, storeWord } from '../operations/data.ts'
import { OPERATIONS, STACK_MOVES } from '../operations/operations.ts'
import { load, store } from '../operations/storage.ts'
import { invalidOpcode } from '../transaction/result.ts'
import { shiftLeft, shiftRight } from '../words/shift.ts'
import { copyItem, limbs as stackLimbs, putBigint, num as stackNum, putWord, swapLimbs } from './stack.ts'
import { traceStep } from './trace.ts'
import { checkAt } from './runLimit.ts'
import { add, and, equal, lessThan, multiply, or, subtract, xor } from '../words/word.ts'

// V8 folds a module's own constants into the code but not imported ones: a fifth of the speed.
const limbs = stackLimbs
const num = stackNum

const NUMBER_MAX = Number.MAX_SAFE_INTEGER
const INT32_MAX = 0x7fffffff

/** Notes where a frame stands before another takes over. */
const save = (frame: Frame, ip: number, sp: number, gas: number): void => {
  frame.ip = ip
  frame.sp = sp
  frame.gas = gas
}

/**
 * Runs a frame until it ends or another takes over; gives the one to go on with. The common opcodes are written out here,
 * because JavaScript engines compile one function of this size well, and the case labels are literals, because only those
 * become a jump table (in V8 only where nearly every third byte has one, so they are all listed). Everything else is a row
 * of OPERATIONS.
 */
// oxlint-disable-next-line max-lines-per-function -- engines compile one loop of this size well: see above
export const runFrame = (frame: Frame): Frame | undefined => {
  const stackLimit = stackLimitOf(frame)
  const { base, memoryAt } = frame
  let { program, ip, sp, gas, floor } = frame
  let { words } = program
  let view = memory.view
  for (;;) {
    switch (words[ip]) {
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
        // BLOCK, see decode.ts
        const height = sp + 1 - base
        const left = gas - words[ip + 1]!
        if (left >= floor && height >= words[ip + 2]! && height + words[ip + 3]! <= stackLimit) {
          gas = left
          ip += 5
          continue
        }
        if (left >= 0 && left < floor) {
          floor = checkAt(frame, left)
          if (floor >= 0) continue
          save(frame, ip, sp, gas)
          return frame
        }
        if (program.isStepped || frame.depth > 0) {
          frame.halt = haltOfBlock(program, ip, height, stackLimit)
          return haltWith(frame, left)
        }
        continueInSteps(frame, ip)
        ip = 0
        program = frame.program
        words = program.words
        continue
      }
      case 0x0d: // STEP
        if (frame.context.tracer !== undefined)
          traceStep(frame.context.tracer, frame, words[ip + 1]!, sp, gas)
        ip += 2
        continue
      case 0x0e: // PUSH and JUMP
        ip = words[ip + 1]!
        if (ip >= 0) continue
        frame.halt = 'Bad jump destination'
        return haltWith(frame, gas)
      case 0x0f: // PUSH and JUMPI
        if (num[sp--] === 0) {
          ip += 2
          continue
        }
        ip = words[ip + 1]!
        if (ip >= 0) continue
        frame.halt = 'Bad jump destination'
        return haltWith(frame, gas)
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
        const at = frame.inputAt + offset
        if (offset + 32 <= frame.inputSize && at < INT32_MAX) loadWord(view, at | 0, sp)
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
        putWord(++sp, frame.context.constants, (words[ip]! - 0x30) << 3)
        ip++
        continue
      case 0x50: // POP
        sp--
        ip++
        continue
      case 0x51: {
        // MLOAD
        const offset = num[sp]!
        if (!(offset + 32 <= frame.nearSize)) {
          gas = expand(frame, offset, 32, gas)
          if (gas < 0) return stopAt(frame, ip, sp, gas)
          view = memory.view
          if (offset + 32 > frame.nearSize) {
            loadWord(view, memoryAt + offset, sp)
            ip++
            continue
          }
        }
        loadWord(view, (memoryAt + offset) | 0, sp)
        ip++
        continue
      }
      case 0x52: {
        // MSTORE
        const offset = num[sp]!
        if (!(offset + 32 <= frame.nearSize)) {
          gas = expand(frame, offset, 32, gas)
          if (gas < 0) return stopAt(frame, ip, sp, gas)
          view = memory.view
          if (offset + 32 > frame.nearSize) {
            storeWord(view, memoryAt + offset, sp - 1)
            sp -= 2
            ip++
            continue
          }
        }
        storeWord(view, (memoryAt + offset) | 0, sp - 1)
        sp -= 2
        ip++
        continue
      }
      case 0x54: // SLOAD
        gas = load(frame, sp, gas)
        if (gas < 0) return stopAt(frame, ip, sp, gas)
        ip++
        continue
      case 0x55: // SSTORE
        gas = store(frame, sp, gas)
        if (gas < 0) return stopAt(frame, ip, sp, gas)
        sp -= 2
        ip++
        continue
      case 0x56: {
        // JUMP
        const target = program.targets[num[sp--]!] ?? -1
        ip = target
        if (target >= 0) continue
        frame.halt = 'Bad jump destination'
        return haltWith(frame, gas)
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
        return haltWith(frame, gas)
      }
      case 0x5a: // GAS
        if (frame.reserve === 0n) num[++sp] = gas
        else putBigint(++sp, BigInt(gas) + frame.reserve)
        ip++
        continue
      case 0x60: // PUSH of a small integer
        num[++sp] = words[ip + 1]!
        ip += 2
        continue
      case 0x61: // PUSH of an integer below 2^53
        num[++sp] = words[ip + 2]! * 4294967296 + (words[ip + 1]! >>> 0)
        ip += 3
        continue
      case 0x62: // PUSH of any other
        num[++sp] = Number.NaN
        copyWord(words, ip + 1, limbs, sp << 3)
        ip += 9
        continue
      case 0x80: // DUP
        copyItem(sp - words[ip + 1]!, sp + 1)
        sp++
        ip += 2
        continue
      case 0x90: {
        // SWAP
        const other = sp - words[ip + 1]!
        const a = num[sp]!
        const b = num[other]!
        num[sp] = b
        num[other] = a
        if (a !== a || b !== b) swapLimbs(sp, other)
        ip += 2
        continue
      }
      case 0xf0: // CREATE
      case 0xf5: // CREATE2
        save(frame, ip + 1, sp, gas)
        return create(frame, words[ip]!) ?? haltWith(frame, frame.gas)
      case 0xf1: // CALL
      case 0xf2: // CALLCODE
      case 0xf4: // DELEGATECALL
      case 0xfa: // STATICCALL
        save(frame, ip + 1, sp, gas)
        return call(frame, words[ip]!) ?? haltWith(frame, frame.gas)
      case 0xf3: // RETURN
      case 0xfd: // REVERT
        gas = expand(frame, num[sp]!, num[sp - 1]!, gas)
        if (gas < 0) return stopAt(frame, ip, sp, gas)
        frame.gas = gas
        return endWithMemory(frame, words[ip] === 0xfd ? 'revert' : 'success', num[sp]!, num[sp - 1]!)
      case 0xff: // SELFDESTRUCT
        frame.gas = selfDestruct(frame, sp, gas)
        return frame.gas < 0 ? haltWith(frame, frame.gas) : endWith(frame, 'success', EMPTY_BYTES)
      case 0x04: // DIV
      case 0x05: // SDIV
      case 0x06: // MOD
      case 0x07: // SMOD
      case 0x08: // ADDMOD
      case 0x09: // MULMOD
      case 0x0a: // EXP
      case 0x0b: // SIGNEXTEND
      case 0x12: // SLT
      case 0x13: // SGT
      case 0x19: // NOT
      case 0x1a: // BYTE
      case 0x1d: // SAR
      case 0x1e: // CLZ
      case 0x20: // KECCAK256
      case 0x31: // BALANCE
      case 0x37: // CALLDATACOPY
      case 0x39: // CODECOPY
      case 0x3b: // EXTCODESIZE
      case 0x3c: // EXTCODECOPY
      case 0x3d: // RETURNDATASIZE
      case 0x3e: // RETURNDATACOPY
      case 0x3f: // EXTCODEHASH
      case 0x40: // BLOCKHASH
      case 0x47: // SELFBALANCE
      case 0x49: // BLOBHASH
      case 0x53: // MSTORE8
      case 0x59: // MSIZE
      case 0x5c: // TLOAD
      case 0x5d: // TSTORE
      case 0x5e: // MCOPY
      case 0xa0: // LOG0
      case 0xa1: // LOG1
      case 0xa2: // LOG2
      case 0xa3: // LOG3
      case 0xa4: {
        // LOG4
        const op = words[ip]!
        gas = OPERATIONS[op]!(frame, sp, gas)
        if (gas < 0) return stopOperation(frame, op, ip, sp, gas)
        view = memory.view
        sp += STACK_MOVES[op]!
        ip++
        continue
      }
      case 0xfe: // INVALID, with the byte that stands there
        frame.halt = invalidOpcode(words[ip + 1]!)
        return haltWith(frame, gas)
      default:
        throw new RangeError(`no instruction ${words[ip]}`)
    }
  }
}
