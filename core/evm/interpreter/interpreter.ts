import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { copyWord } from '../../state/limbs.ts'
import { continueStepped, haltReasonOfBlock } from './basicBlock.ts'
import { enterWindow, targetOutside } from './codeWindows.ts'
import { call } from '../frames/call.ts'
import { create } from '../frames/create.ts'
import type { Frame } from '../frames/frame.ts'
import { save, stackLimitOf, WORD_ADDRESS, WORD_CALLER, WORD_VALUE } from '../frames/frame.ts'
import { endWith, endWithMemory, haltAtJump, haltWith } from '../frames/ending.ts'
import { haltOrSuspend, haltOrSuspendOperation } from '../frames/ending.ts'
import { expand, memory } from './memory.ts'
import { selfDestruct } from '../operations/account.ts'
import { loadInputEdge, loadWord, storeWord } from '../operations/data.ts'
import { OPERATIONS, STACK_DELTAS } from '../operations/operations.ts'
import { load, store } from '../operations/storage.ts'
import { invalidOpcode } from '../transaction/result.ts'
import { shiftLeft, shiftRight } from '../words/shift.ts'
import {
  copyItem,
  limbs as stackLimbs,
  putBigint,
  numbers as stackNumbers,
  putWord,
  swapLimbs,
} from './stack.ts'
import { traceStep } from './trace.ts'
import { checkLimit } from './runLimit.ts'
import { add, and, equal, lessThan, multiply, or, subtract, xor } from '../words/word.ts'

// V8 folds a module's own constants into the code but not imported ones, which would cost a fifth of the speed.
const limbs = stackLimbs
const numbers = stackNumbers

const NUMBER_MAX = Number.MAX_SAFE_INTEGER
const INT32_MAX = 0x7fffffff

/**
 * Runs a frame until it ends or calls another; returns the frame that runs next. The common opcodes are written out here,
 * because JavaScript engines compile one function of this size well. The case labels are literals, because only literals
 * become a jump table (in V8 only when about every third byte has a label, so all are listed). The other opcodes are in
 * OPERATIONS.
 */
// oxlint-disable-next-line max-lines-per-function -- engines compile one loop of this size well: see above
export const runFrame = (frame: Frame): Frame | undefined => {
  const stackLimit = stackLimitOf(frame)
  const { base, memoryAt } = frame
  let { program, ip, sp, gas, checkBelow } = frame
  let { words } = program
  let view = memory.view
  for (;;) {
    switch (words[ip]) {
      case 0x00: // STOP
        frame.gas = gas
        return endWith(frame, 'success', EMPTY_BYTES)
      case 0x01: {
        // ADD
        const sum = numbers[sp]! + numbers[sp - 1]!
        if (sum <= NUMBER_MAX) numbers[sp - 1] = sum
        else add(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x02: {
        // MUL
        const product = numbers[sp]! * numbers[sp - 1]!
        if (product <= NUMBER_MAX) numbers[sp - 1] = product
        else multiply(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x03: {
        // SUB
        const difference = numbers[sp]! - numbers[sp - 1]!
        if (difference >= 0) numbers[sp - 1] = difference
        else subtract(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x0c: {
        // BLOCK, see decode.ts
        const height = sp + 1 - base
        const left = gas - words[ip + 1]!
        if (left >= checkBelow && height >= words[ip + 2]! && height + words[ip + 3]! <= stackLimit) {
          gas = left
          ip += 5
          continue
        }
        if (left >= 0 && left < checkBelow) {
          checkBelow = checkLimit(frame, left)
          if (checkBelow >= 0) continue
          save(frame, ip, sp, gas)
          return frame
        }
        if (program.isStepped || frame.depth > 0) {
          frame.halt = haltReasonOfBlock(program, ip, height, stackLimit)
          return haltWith(frame, left)
        }
        continueStepped(frame, ip)
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
        break
      case 0x0f: // PUSH and JUMPI
        if (numbers[sp--] === 0) {
          ip += 2
          continue
        }
        ip = words[ip + 1]!
        if (ip >= 0) continue
        break
      case 0x10: // LT
        numbers[sp - 1] = lessThan(sp, sp - 1) ? 1 : 0
        sp--
        ip++
        continue
      case 0x11: // GT
        numbers[sp - 1] = lessThan(sp - 1, sp) ? 1 : 0
        sp--
        ip++
        continue
      case 0x14: // EQ
        numbers[sp - 1] = equal(sp, sp - 1) ? 1 : 0
        sp--
        ip++
        continue
      case 0x15: // ISZERO
        numbers[sp] = numbers[sp] === 0 ? 1 : 0
        ip++
        continue
      case 0x16: {
        // AND
        const a = numbers[sp]!
        const b = numbers[sp - 1]!
        if (a <= INT32_MAX && b <= INT32_MAX) numbers[sp - 1] = a & b
        else and(sp, sp - 1, sp - 1)
        sp--
        ip++
        continue
      }
      case 0x17: {
        // OR
        const a = numbers[sp]!
        const b = numbers[sp - 1]!
        if (a <= INT32_MAX && b <= INT32_MAX) numbers[sp - 1] = a | b
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
        const offset = numbers[sp]!
        const at = frame.inputAt + offset
        if (offset + 32 <= frame.inputSize && at < INT32_MAX) loadWord(view, at | 0, sp)
        else loadInputEdge(frame, sp)
        ip++
        continue
      }
      case 0x36: // CALLDATASIZE
        numbers[++sp] = frame.inputSize
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
        const offset = numbers[sp]!
        if (!(offset + 32 <= frame.nearSize)) {
          gas = expand(frame, offset, 32, gas)
          if (gas < 0) return haltOrSuspend(frame, ip, sp, gas)
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
        const offset = numbers[sp]!
        if (!(offset + 32 <= frame.nearSize)) {
          gas = expand(frame, offset, 32, gas)
          if (gas < 0) return haltOrSuspend(frame, ip, sp, gas)
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
        if (gas < 0) return haltOrSuspend(frame, ip, sp, gas)
        ip++
        continue
      case 0x55: // SSTORE
        gas = store(frame, sp, gas)
        if (gas < 0) return haltOrSuspend(frame, ip, sp, gas)
        sp -= 2
        ip++
        continue
      case 0x56: {
        // JUMP
        const destination = numbers[sp--]!
        ip = program.targets[destination] ?? targetOutside(program.codeWindow, destination)
        if (ip >= 0) continue
        break
      }
      case 0x57: // JUMPI
        sp -= 2
        if (numbers[sp + 1] === 0) {
          ip++
          continue
        }
        ip = program.targets[numbers[sp + 2]!] ?? targetOutside(program.codeWindow, numbers[sp + 2]!)
        if (ip >= 0) continue
        break
      case 0x5a: // GAS
        if (frame.gasReserve === 0n) numbers[++sp] = gas
        else putBigint(++sp, BigInt(gas) + frame.gasReserve)
        ip++
        continue
      case 0x60: // PUSH of a small integer
        numbers[++sp] = words[ip + 1]!
        ip += 2
        continue
      case 0x61: // PUSH of an integer below 2^53
        numbers[++sp] = words[ip + 2]! * 4294967296 + (words[ip + 1]! >>> 0)
        ip += 3
        continue
      case 0x62: // PUSH of any other
        numbers[++sp] = Number.NaN
        copyWord(words, ip + 1, limbs, sp << 3)
        ip += 9
        continue
      case 0x63: // COMPILED, see compiled/
        program.compiled[words[ip + 1]!]!(sp)
        sp += words[ip + 2]!
        ip += words[ip + 3]!
        continue
      case 0x80: // DUP
        copyItem(sp - words[ip + 1]!, sp + 1)
        sp++
        ip += 2
        continue
      case 0x90: {
        // SWAP
        const other = sp - words[ip + 1]!
        const a = numbers[sp]!
        const b = numbers[other]!
        numbers[sp] = b
        numbers[other] = a
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
        gas = expand(frame, numbers[sp]!, numbers[sp - 1]!, gas)
        if (gas < 0) return haltOrSuspend(frame, ip, sp, gas)
        frame.gas = gas
        return endWithMemory(frame, words[ip] === 0xfd ? 'revert' : 'success', numbers[sp]!, numbers[sp - 1]!)
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
        if (gas < 0) return haltOrSuspendOperation(frame, op, ip, sp, gas)
        view = memory.view
        sp += STACK_DELTAS[op]!
        ip++
        continue
      }
      case 0xfe: // INVALID, with the byte of the code
        frame.halt = invalidOpcode(words[ip + 1]!)
        return haltWith(frame, gas)
      default:
        throw new RangeError(`${words[ip]} is not an instruction`)
    }
    if (ip === -1) return haltAtJump(frame, gas) // Only jumps get here.
    ip = enterWindow(frame, ip)
    ;({ program, checkBelow } = frame)
    words = program.words
  }
}
