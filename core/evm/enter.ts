import { EMPTY_BYTES } from '../bytes/bytes.ts'
import type { AccountState } from '../state/accountState.ts'
import { hasCode } from '../state/accountState.ts'
import {
  codeOf,
  decreaseBalance,
  ensureExists,
  increaseBalance,
  markCreated,
  putNonce,
  takeCheckpoint,
  touch,
} from '../state/executionState.ts'
import { hasStorage } from '../state/slots.ts'
import { decodeProgram } from './decode.ts'
import type { Frame } from './frame.ts'
import { memory } from './memory.ts'
import type { Precompile } from './precompiles/precompile.ts'
import { precompileAt } from './precompiles/precompiles.ts'
import { cachedProgram } from './program.ts'
import type { Program } from './program.ts'
import { traceEnter } from './trace.ts'
import { watchPrecompile } from './watch.ts'

const begin = (frame: Frame): void => {
  const { state } = frame.context
  frame.checkpoint = takeCheckpoint(state)
  frame.logsLength = state.logs.length
  frame.refund = state.refund
}

/**
 * Begins a call whose frame is filled in: moves `wei` from `payer`, and gives true when there is code to run. Otherwise
 * the frame has its outcome already: there was no code, or a precompile ran.
 */
export const enterCall = (
  frame: Frame,
  codeAccount: AccountState,
  codeAddress: Uint8Array,
  payer: AccountState | undefined,
  wei: bigint,
): boolean => {
  const { context } = frame
  begin(frame)
  const replaced = context.environment.precompileAt
  const precompile =
    replaced === undefined ? precompileAt(context.schedule.fork, codeAddress) : replaced(codeAddress)
  if (context.tracer !== undefined)
    traceEnter(context.tracer, frame, codeAddress, precompile === undefined ? codeAccount : undefined)
  if (payer !== undefined) {
    if (wei !== 0n) decreaseBalance(context.state, payer, wei)
    increaseBalance(context.state, frame.account, wei)
  }
  frame.outcome = 'success'
  frame.output = EMPTY_BYTES
  if (precompile !== undefined) {
    runPrecompile(frame, precompile)
    return false
  }
  if (!hasCode(codeAccount)) return false
  frame.code = codeOf(context.state, codeAccount)
  frame.program = programOf(frame, codeAccount)
  frame.ip = 0
  frame.sp = frame.base - 1
  return true
}

const programOf = (frame: Frame, account: AccountState): Program => {
  const { schedule, tracer } = frame.context
  if (tracer?.onStep !== undefined) return decodeProgram(frame.code, schedule, true)
  account.program ??= cachedProgram(schedule, account.codeHash, frame.code)
  return account.program as Program
}

const runPrecompile = (frame: Frame, precompile: Precompile): void => {
  // A copy: what comes back may be a view of the input, and memory changes.
  const input = memory.bytes.slice(frame.inputAt, frame.inputAt + frame.inputSize)
  const gas = precompile.gas(input)
  frame.gas -= gas
  if (frame.gas < 0) {
    frame.outcome = 'halt'
    frame.halt = 'Out of gas'
    return
  }
  watchPrecompile(gas)
  const output = precompile.run(input)
  if (output === undefined) {
    frame.outcome = 'halt'
    frame.halt = 'Precompile error'
    return
  }
  frame.output = output
}

/** EIP-684 and EIP-7610: a contract cannot be made where there are code, a nonce or storage. */
export const collides = (account: AccountState): boolean =>
  account.nonce !== 0n || hasCode(account) || hasStorage(account)

/** Begins the creation of the contract at `frame.account`, whose initialization code stands in `frame.code`. */
export const enterCreate = (frame: Frame, payer: AccountState, wei: bigint): void => {
  const { state, schedule, tracer } = frame.context
  const { account } = frame
  begin(frame)
  if (tracer !== undefined) traceEnter(tracer, frame, account.address, undefined)
  ensureExists(state, account)
  markCreated(state, account)
  if (schedule.clearsEmpty) putNonce(state, account, 1n)
  touch(state, account)
  if (wei !== 0n) decreaseBalance(state, payer, wei)
  increaseBalance(state, account, wei)
  frame.outcome = 'success'
  frame.output = EMPTY_BYTES
  frame.program = decodeProgram(frame.code, schedule, tracer?.onStep !== undefined)
  frame.ip = 0
  frame.sp = frame.base - 1
}
