import { NEW_ACCOUNT_GAS, STIPEND_GAS } from '../gas/costs.ts'
import { CALL } from '../interpreter/opcodeBytes.ts'
import { beginStack } from '../interpreter/stackSpill.ts'
import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import type { AccountState } from '../../state/accountState.ts'
import { hasCode, isEmpty } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { accountOf, codeOf } from '../../state/executionState.ts'
import { copyWord } from '../../state/limbs.ts'
import { accessAccount, accountAt, COLD_ACCOUNT_GAS, WARM_GAS } from '../gas/accountAccess.ts'
import { delegateOf } from './delegation.ts'
import { enterCall } from './enterFrame.ts'
import type { Frame } from './frame.ts'
import { DEPTH_MAX, frameAt, setAddressWord, WORD_ADDRESS, WORD_CALLER, WORD_VALUE } from './frame.ts'
import { giveGas, outOfGas, returnGas, takeGas } from '../gas/gas.ts'
import { exitFrame } from './exitFrame.ts'
import { restartInstruction, SUSPENDED } from '../interpreter/longWork.ts'
import { expand } from '../interpreter/memory.ts'
import { bigintAt, limbs, numbers, ensureLimbs } from '../interpreter/stack.ts'
import { traceRefusal, valueOf } from '../interpreter/trace.ts'

const VALUE_GAS = 9000

const CALLCODE = 0xf2
const DELEGATECALL = 0xf4
const STATICCALL = 0xfa

/** EIP-7702: the account that `account` delegates to, possibly itself; undefined when it does not delegate. */
const targetOf = (state: ExecutionState, account: AccountState): AccountState | undefined => {
  if (!hasCode(account)) return undefined
  const delegate = delegateOf(codeOf(state, account))
  return delegate === undefined ? undefined : accountOf(state, delegate)
}

/** Gas that depends on the callee and the value, without the access to the target of a delegation (EIP-7702). */
const accessGas = (frame: Frame, op: number, callee: AccountState, sendsValue: boolean): number => {
  const { schedule } = frame.context
  let gas = 0
  if (schedule.eip2929) gas += accessAccount(frame.context, callee) ? WARM_GAS : COLD_ACCOUNT_GAS
  if (sendsValue) gas += VALUE_GAS
  if (op === CALL) {
    const isNew = schedule.eip158 ? sendsValue && isEmpty(callee) : !callee.exists
    if (isNew) gas += NEW_ACCOUNT_GAS
  }
  return gas
}

/**
 * Sets account, address, caller and value of the callee's frame; `isOwn` is true when its code runs as the caller's
 * account.
 */
const setIdentity = (frame: Frame, child: Frame, op: number, callee: AccountState, isOwn: boolean): void => {
  if (op === CALL || op === CALLCODE) {
    const value = frame.sp - 2
    ensureLimbs(value)
    copyWord(limbs, value << 3, child.words, WORD_VALUE)
  } else if (op === DELEGATECALL) copyWord(frame.words, WORD_VALUE, child.words, WORD_VALUE)
  else child.words.fill(0, WORD_VALUE, WORD_VALUE + 8)
  copyWord(frame.words, op === DELEGATECALL ? WORD_CALLER : WORD_ADDRESS, child.words, WORD_CALLER)
  child.account = isOwn ? frame.account : callee
  if (isOwn) copyWord(frame.words, WORD_ADDRESS, child.words, WORD_ADDRESS)
  else setAddressWord(child.words, WORD_ADDRESS, callee.address)
}

/**
 * CALL, CALLCODE, DELEGATECALL and STATICCALL. `frame` is saved, with its operands on the stack. Returns the frame that
 * runs next: the callee's, or `frame` with the result when no code had to run; undefined when `frame` must halt.
 */
export const call = (frame: Frame, op: number): Frame | undefined => {
  const { context } = frame
  const { state, schedule } = context
  const top = frame.sp
  const takesValue = op === CALL || op === CALLCODE
  const sendsValue = takesValue && numbers[top - 2] !== 0
  if (op === CALL && sendsValue && frame.isStatic) {
    frame.halt = 'Illegal state change'
    return undefined
  }
  const at = takesValue ? top - 3 : top - 2
  const inputOffset = numbers[at]!
  const inputSize = numbers[at - 1]!
  const outputOffset = numbers[at - 2]!
  const outputSize = numbers[at - 3]!
  let gas = expand(frame, inputOffset, inputSize, frame.gas)
  if (gas >= 0) gas = expand(frame, outputOffset, outputSize, gas)
  if (gas < 0) return gas === SUSPENDED ? restartInstruction(frame) : outOfGas(frame, gas)
  const callee = accountAt(state, top - 1)
  gas -= accessGas(frame, op, callee, sendsValue)
  if (gas < 0) return outOfGas(frame, gas)
  let codeAccount = callee
  if (schedule.isPrague) {
    const target = targetOf(state, callee)
    if (target !== undefined) {
      codeAccount = target
      gas -= accessAccount(context, target) ? WARM_GAS : COLD_ACCOUNT_GAS
      if (gas < 0) return outOfGas(frame, gas)
    }
  }
  frame.gas = gas
  if (!takeGas(frame, schedule.eip150, top)) return undefined
  const stipend = sendsValue ? STIPEND_GAS : 0
  frame.returnData = EMPTY_BYTES
  const wei = sendsValue ? bigintAt(top - 2) : 0n
  if (frame.depth >= DEPTH_MAX || (sendsValue && frame.account.balance < wei)) {
    if (context.tracer !== undefined)
      traceRefusal(context.tracer, frame, {
        op,
        to: callee.address,
        value: op === DELEGATECALL ? valueOf(frame) : wei,
        inputOffset,
        inputSize,
        stipend,
        reason: frame.account.balance < wei ? 'insufficient balance for transfer' : 'max call depth exceeded',
        returnsGas: true,
        code: EMPTY_BYTES,
      })
    returnGas(frame, frame.calleeGas + stipend, frame.calleeGasReserve)
    frame.sp = at - 3
    numbers[frame.sp] = 0
    return frame
  }
  const child = frameAt(context, frame.depth + 1)
  const isOwn = op === CALLCODE || op === DELEGATECALL
  setIdentity(frame, child, op, callee, isOwn)
  child.op = op
  child.isCreate = false
  child.isStatic = frame.isStatic || op === STATICCALL
  giveGas(frame, child, stipend)
  child.inputAt = inputSize === 0 ? 0 : frame.memoryAt + inputOffset
  child.inputSize = inputSize
  child.outputOffset = outputOffset
  child.outputSize = outputSize
  child.memoryAt = frame.memoryAt + frame.memorySize
  frame.sp = at - 4
  beginStack(frame, child)
  const payer = isOwn ? undefined : frame.account
  return enterCall(child, codeAccount, callee.address, payer, wei) ? child : exitFrame(child)
}
