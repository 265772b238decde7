import { EMPTY_BYTES } from '../../bytes/bytes.ts'
import type { AccountState } from '../../state/accountState.ts'
import { hasCode } from '../../state/accountState.ts'
import {
  codeOf,
  decreaseBalance,
  ensureExists,
  increaseBalance,
  markCreated,
  putNonce,
  takeCheckpoint,
  touch,
} from '../../state/executionState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { hasStorage } from '../../state/slots.ts'
import { decodeProgram, decodeProgramSteps, DECODED_AT_ONCE_BYTES } from '../interpreter/decode.ts'
import type { Frame } from './frame.ts'
import { exitFrame } from './exitFrame.ts'
import { beginWork, BULK_BYTES, type LongWork } from '../interpreter/longWork.ts'
import { copyOfMemorySteps, memory } from '../interpreter/memory.ts'
import type { Precompile } from '../precompiles/precompile.ts'
import { runSteps } from '../../steps.ts'
import { precompileAt } from '../precompiles/precompiles.ts'
import {
  beginWindows,
  keepWindowedCode,
  knownWindowedCode,
  WINDOWED_CODE_BYTES,
  windowedCodeSteps,
} from '../interpreter/codeWindows.ts'
import { cacheProgram, cachedProgram, type Program, programBytes } from '../interpreter/program.ts'
import { countCall } from '../compiled/hotPrograms.ts'
import { traceEnter } from '../interpreter/trace.ts'
import { mayPause, limitPrecompile } from '../interpreter/runLimit.ts'

const saveCheckpoint = (frame: Frame): void => {
  const { state } = frame.context
  frame.checkpoint = takeCheckpoint(state)
  frame.logsLength = state.logs.length
  frame.refund = state.refund
}

/**
 * Begins a call whose frame is filled in: moves `wei` from `payer`. Returns true when there is code to run or long work to
 * do. Otherwise the frame has its outcome: there was no code, or a precompile ran.
 */
export const enterCall = (
  frame: Frame,
  codeAccount: AccountState,
  codeAddress: Uint8Array,
  payer: AccountState | undefined,
  wei: bigint,
): boolean => {
  const { context } = frame
  saveCheckpoint(frame)
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
  frame.sp = frame.base - 1
  if (precompile !== undefined) return enterPrecompile(frame, precompile)
  if (!hasCode(codeAccount)) return false
  frame.code = codeOf(context.state, codeAccount)
  frame.ip = 0
  findProgram(frame, codeAccount)
  return true
}

const findProgram = (frame: Frame, account: AccountState): void => {
  const { schedule, tracer } = frame.context
  const isStepped = tracer?.onStep !== undefined
  if (frame.code.length > WINDOWED_CODE_BYTES) {
    findWindows(frame, account, isStepped)
    return
  }
  if (frame.code.length > DECODED_AT_ONCE_BYTES && mayPause()) {
    const known = isStepped ? undefined : (account.program ?? cachedProgram(schedule, account.codeHash))
    if (known === undefined) beginWork(decodeWork(frame, account, isStepped))
    else {
      frame.program = known as Program
      countCall(frame.program)
    }
    return
  }
  if (isStepped) frame.program = decodeProgram(frame.code, schedule, true)
  else {
    if (account.program === undefined) {
      const program =
        cachedProgram(schedule, account.codeHash) ??
        cacheProgram(schedule, account.codeHash, decodeProgram(frame.code, schedule, false))
      keepProgram(frame.context.state, account, program)
    }
    frame.program = account.program as Program
    countCall(frame.program)
  }
}

/** Bytes of programs that the accounts of a block keep. The most used programs are also in the cache. */
const KEPT_PROGRAM_BYTES_MAX = 64 * 1024 * 1024

const keepProgram = (state: ExecutionState, account: AccountState, program: Program): void => {
  state.programBytes += programBytes(program)
  if (state.programBytes > KEPT_PROGRAM_BYTES_MAX) {
    for (const other of state.accountsWithProgram) other.program = undefined
    state.accountsWithProgram.length = 0
    state.programBytes = programBytes(program)
  }
  account.program = program
  state.accountsWithProgram.push(account)
}

/** Decodes the frame's code; `account` is undefined for initialization code, which runs once. */
function* decodeWork(frame: Frame, account: AccountState | undefined, isStepped: boolean): LongWork {
  const { schedule } = frame.context
  frame.program = yield* decodeProgramSteps(frame.code, schedule, isStepped)
  if (account !== undefined && !isStepped) {
    const { program } = frame
    keepProgram(frame.context.state, account, cacheProgram(schedule, account.codeHash, program))
  }
  return frame
}

/** Begins to run long code. `account` is undefined for initialization code, which runs once. */
const findWindows = (frame: Frame, account: AccountState | undefined, isStepped: boolean): void => {
  const known =
    account === undefined ? undefined : knownWindowedCode(frame.context.schedule, account.codeHash, isStepped)
  if (known !== undefined) beginWindows(frame, known)
  else if (mayPause()) beginWork(windowWork(frame, account, isStepped))
  else runSteps(windowWork(frame, account, isStepped))
}

function* windowWork(frame: Frame, account: AccountState | undefined, isStepped: boolean): LongWork {
  const windowed = yield* windowedCodeSteps(frame.code, frame.context.schedule, isStepped)
  if (account !== undefined) keepWindowedCode(windowed, account.codeHash)
  beginWindows(frame, windowed)
  return frame
}

/** A precompile that costs more gas is long work: a first pairing takes 30 to 80 ms, later ones 5 to 20 ms. */
const LONG_PRECOMPILE_GAS = 40_000

/** Runs the precompile; returns true when it continues as long work. */
const enterPrecompile = (frame: Frame, precompile: Precompile): boolean => {
  const isLong =
    mayPause() &&
    precompile.steps !== undefined &&
    (frame.inputSize > BULK_BYTES || precompile.gas(inputOf(frame)) > LONG_PRECOMPILE_GAS)
  if (isLong) beginWork(precompileWork(frame, precompile))
  else runPrecompile(frame, precompile)
  return isLong
}

const inputOf = (frame: Frame): Uint8Array =>
  memory.bytes.subarray(frame.inputAt, frame.inputAt + frame.inputSize)

function* precompileWork(frame: Frame, precompile: Precompile): LongWork {
  const steps = precompile.steps
  if (steps === undefined) throw new TypeError(`${precompile.name} has no steps`)
  if (payPrecompile(frame, precompile.gas(inputOf(frame))))
    setPrecompileOutput(frame, yield* steps(yield* copyOfMemorySteps(frame.inputAt, frame.inputSize)))
  return exitFrame(frame)
}

/** Charges the gas of a precompile; false when the frame has too little. */
const payPrecompile = (frame: Frame, gas: number): boolean => {
  frame.gas -= gas
  if (frame.gas >= 0) return true
  frame.outcome = 'halt'
  frame.halt = 'Out of gas'
  return false
}

const setPrecompileOutput = (frame: Frame, output: Uint8Array | undefined): void => {
  if (output === undefined) {
    frame.outcome = 'halt'
    frame.halt = 'Precompile error'
  } else frame.output = output
}

const runPrecompile = (frame: Frame, precompile: Precompile): void => {
  // A copy, because the output may be a view of the input, and memory changes.
  const input = memory.bytes.slice(frame.inputAt, frame.inputAt + frame.inputSize)
  const gas = precompile.gas(input)
  if (!payPrecompile(frame, gas)) return
  limitPrecompile(frame, gas)
  setPrecompileOutput(frame, precompile.run(input))
}

/** EIP-684 and EIP-7610: a contract cannot be created at an address with code, a nonce or storage. */
export const collides = (account: AccountState): boolean =>
  account.nonce !== 0n || hasCode(account) || hasStorage(account)

/** Begins the creation of the contract at `frame.account`, whose initialization code is `frame.code`. */
export const enterCreate = (frame: Frame, payer: AccountState, wei: bigint): void => {
  const { state, schedule, tracer } = frame.context
  const { account } = frame
  saveCheckpoint(frame)
  if (tracer !== undefined) traceEnter(tracer, frame, account.address, undefined)
  ensureExists(state, account)
  markCreated(state, account)
  if (schedule.eip158) putNonce(state, account, 1n)
  touch(state, account)
  if (wei !== 0n) decreaseBalance(state, payer, wei)
  increaseBalance(state, account, wei)
  frame.outcome = 'success'
  frame.output = EMPTY_BYTES
  frame.ip = 0
  frame.sp = frame.base - 1
  const isStepped = tracer?.onStep !== undefined
  if (frame.code.length > WINDOWED_CODE_BYTES) findWindows(frame, undefined, isStepped)
  else if (frame.code.length > DECODED_AT_ONCE_BYTES && mayPause())
    beginWork(decodeWork(frame, undefined, isStepped))
  else frame.program = decodeProgram(frame.code, schedule, isStepped)
}
