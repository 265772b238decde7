import { HASH_WORD_GAS } from '../gas/costs.ts'
import { CREATE, CREATE2 } from '../interpreter/opcodeBytes.ts'
import { beginStack } from '../interpreter/stackSpill.ts'
import type { Address } from '../../bytes/bytes.ts'
import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { keccak256Steps } from '../../crypto/keccakSteps.ts'
import { accountOf, putNonce, warmAccount } from '../../state/executionState.ts'
import { copyWord } from '../../state/limbs.ts'
import { create2Address, createAddress } from './address.ts'
import { collides, enterCreate } from './enterFrame.ts'
import type { Frame } from './frame.ts'
import { DEPTH_MAX, frameAt, setAddressWord, WORD_ADDRESS, WORD_CALLER, WORD_VALUE } from './frame.ts'
import { giveGas, outOfGas, returnGas, takeGas } from '../gas/gas.ts'
import {
  restartInstruction,
  beginWork,
  BULK_BYTES,
  type LongWork,
  SUSPENDED,
} from '../interpreter/longWork.ts'
import { copyOfMemory, copyOfMemorySteps, expand } from '../interpreter/memory.ts'
import type { HaltReason } from '../transaction/result.ts'
import { bigintAt, bytes32At, limbs, numbers, ensureLimbs } from '../interpreter/stack.ts'
import { traceRefusal } from '../interpreter/trace.ts'
import { mayPause } from '../interpreter/runLimit.ts'

/** EIP-3860: per word of initialization code. */
export const INIT_CODE_WORD_GAS = 2
/** For `takeGas`: a creation does not state an amount of gas. */
const ALL = -1

/** EIP-2681: a nonce stays below this. */
export const NONCE_MAX = 2n ** 64n - 1n

/** The address of the new contract; for CREATE, call it before the creator's nonce is increased. */
const addressFor = (frame: Frame, op: number, top: number, code: Uint8Array): Address => {
  const creator = frame.account
  return op === CREATE2
    ? create2Address(creator.address, bytes32At(top - 3), keccak256(code))
    : createAddress(creator.address, creator.nonce)
}

/** The reason why the creation cannot begin. */
const refusalOf = (frame: Frame, wei: bigint): HaltReason => {
  if (frame.account.balance < wei) return 'insufficient balance for transfer'
  return frame.depth >= DEPTH_MAX ? 'max call depth exceeded' : 'execution failed'
}

/**
 * CREATE and CREATE2. `frame` is saved, with its operands on the stack. Returns the frame that runs next: the new
 * contract's, or `frame` with the result when no code had to run; undefined when `frame` must halt.
 */
export const create = (frame: Frame, op: number): Frame | undefined => {
  const { context } = frame
  const { schedule, environment } = context
  if (frame.isStatic) {
    frame.halt = 'Illegal state change'
    return undefined
  }
  const top = frame.sp
  const offset = numbers[top - 1]!
  const size = numbers[top - 2]!
  if (schedule.isShanghai && !(size <= 2 * environment.rules.codeSizeMax)) {
    frame.halt = 'Code is too large'
    return undefined
  }
  let gas = expand(frame, offset, size, frame.gas)
  if (gas < 0) return gas === SUSPENDED ? restartInstruction(frame) : outOfGas(frame, gas)
  const words = Math.ceil(size / 32)
  if (schedule.isShanghai) gas -= INIT_CODE_WORD_GAS * words
  if (op === CREATE2) gas -= HASH_WORD_GAS * words
  if (gas < 0) return outOfGas(frame, gas)
  frame.gas = gas
  takeGas(frame, schedule.eip150, ALL)
  frame.returnData = EMPTY_BYTES
  const creator = frame.account
  const wei = numbers[top] === 0 ? 0n : bigintAt(top)
  frame.sp = op === CREATE2 ? top - 3 : top - 2
  if (frame.depth >= DEPTH_MAX || creator.balance < wei || creator.nonce === NONCE_MAX) {
    if (context.tracer !== undefined) {
      traceRefusal(context.tracer, frame, {
        op,
        to: addressFor(frame, op, top, copyOfMemory(frame, offset, size)),
        value: wei,
        inputOffset: offset,
        inputSize: size,
        stipend: 0,
        reason: refusalOf(frame, wei),
        returnsGas: true,
        code: EMPTY_BYTES,
      })
    }
    returnGas(frame, frame.calleeGas, frame.calleeGasReserve)
    numbers[frame.sp] = 0
    return frame
  }
  if (size > BULK_BYTES && mayPause()) {
    beginWork(createWork(frame, op, top, wei))
    return frame
  }
  const code = copyOfMemory(frame, offset, size)
  return beginCreation(frame, op, top, wei, code, addressFor(frame, op, top, code))
}

/** A creation with long initialization code. */
function* createWork(frame: Frame, op: number, top: number, wei: bigint): LongWork {
  const code = yield* copyOfMemorySteps(frame.memoryAt + numbers[top - 1]!, numbers[top - 2]!)
  if (op === CREATE) return beginCreation(frame, op, top, wei, code, addressFor(frame, op, top, code))
  const hash = yield* keccak256Steps(code)
  const address = create2Address(frame.account.address, bytes32At(top - 3), hash)
  return beginCreation(frame, op, top, wei, code, address)
}

/**
 * Begins the creation of the contract at `address`. Returns its frame, or `frame` if the address collides with a contract.
 */
const beginCreation = (
  frame: Frame,
  op: number,
  top: number,
  wei: bigint,
  code: Uint8Array,
  address: Address,
): Frame => {
  const { context } = frame
  const { state, schedule } = context
  const creator = frame.account
  putNonce(state, creator, creator.nonce + 1n)
  const account = accountOf(state, address)
  if (schedule.eip2929) warmAccount(state, account)
  if (collides(account)) {
    if (context.tracer !== undefined)
      traceRefusal(context.tracer, frame, {
        op,
        to: address,
        value: wei,
        inputOffset: numbers[top - 1]!,
        inputSize: numbers[top - 2]!,
        stipend: 0,
        reason: 'Illegal state change',
        returnsGas: false,
        code,
      })
    numbers[frame.sp] = 0
    return frame
  }
  const child = frameAt(context, frame.depth + 1)
  child.op = op
  child.account = account
  child.code = code
  child.isCreate = true
  child.isStatic = false
  giveGas(frame, child, 0)
  ensureLimbs(top)
  copyWord(limbs, top << 3, child.words, WORD_VALUE)
  copyWord(frame.words, WORD_ADDRESS, child.words, WORD_CALLER)
  setAddressWord(child.words, WORD_ADDRESS, address)
  child.inputAt = 0
  child.inputSize = 0
  child.memoryAt = frame.memoryAt + frame.memorySize
  frame.sp--
  beginStack(frame, child)
  enterCreate(child, creator, wei)
  return child
}
