import { CALL, CREATE } from '../interpreter/opcodeBytes.ts'
import { clearSpilledStack } from '../interpreter/stackSpill.ts'
import { EMPTY_BYTES, type Address } from '../../bytes/bytes.ts'
import { accountOf, warmAccount } from '../../state/executionState.ts'
import type { Steps } from '../../steps.ts'
import type { AccountState } from '../../state/accountState.ts'
import { hasCode } from '../../state/accountState.ts'
import { codeOf } from '../../state/executionState.ts'
import { delegateOf } from './delegation.ts'
import { collides, enterCall, enterCreate } from './enterFrame.ts'
import type { Context, Frame } from './frame.ts'
import { frameAt, releaseFrames, setAddressWord, WORD_ADDRESS, WORD_CALLER, WORD_VALUE } from './frame.ts'
import { setGas } from '../gas/gas.ts'
import { exitFrame } from './exitFrame.ts'
import { currentWork } from '../interpreter/longWork.ts'
import { claimMachine, dropRun, type PausedRun, resumeRun } from '../interpreter/machine.ts'
import { memory, releaseMemory, ensureMemory } from '../interpreter/memory.ts'
import { run } from '../interpreter/run.ts'
import { beginLimitedMessage, endLimitedMessage } from '../interpreter/runLimit.ts'
import { writeBigint } from '../interpreter/stack.ts'
import { traceEnter, traceExit } from '../interpreter/trace.ts'

/** The message that a transaction sends: the call or creation at depth 0. */
export type TopMessage = {
  readonly sender: AccountState
  /** The contract that is called or created. */
  readonly to: AccountState
  readonly isCreate: boolean
  readonly value: bigint
  readonly data: Uint8Array
  readonly gas: bigint
}

/** A started message: its frame, and the paused run; undefined when the message has ended. */
export type StartedMessage = { readonly frame: Frame; readonly paused: PausedRun | undefined }

/** Runs the message until it ends or the run limit (runLimit.ts) makes it pause. */
export const startMessage = (context: Context, message: TopMessage): StartedMessage => {
  claimMachine()
  clearSpilledStack()
  const frame = frameAt(context, 0)
  const paused = beginMessage(frame, context, message) ? run(frame, beginLimitedMessage(frame)) : undefined
  if (paused === undefined) endMessage(frame)
  return { frame, paused }
}

/** Continues a paused message to its end; yields at each pause. Other messages may run during a pause. */
export function* finishMessage(frame: Frame, first: PausedRun): Steps<void> {
  let paused: PausedRun | undefined = first
  while (paused !== undefined) {
    let isResumed = false
    try {
      yield
      isResumed = true
    } finally {
      if (!isResumed) dropRun(paused)
    }
    paused = run(resumeRun(paused), true)
  }
  endMessage(frame)
}

const endMessage = (frame: Frame): void => {
  endLimitedMessage(frame)
  clearSpilledStack()
  releaseFrames()
  releaseMemory()
}

/** Runs the message to its end. Returns its frame with the outcome, which is valid until the next message. */
export function* messageSteps(context: Context, message: TopMessage): Steps<Frame> {
  const { frame, paused } = startMessage(context, message)
  if (paused !== undefined) yield* finishMessage(frame, paused)
  return frame
}

/** Sets up the first frame; false when it already has its outcome. */
const beginMessage = (frame: Frame, context: Context, message: TopMessage): boolean => {
  const { sender, to, data, value } = message
  frame.op = message.isCreate ? CREATE : CALL
  frame.account = to
  frame.isCreate = message.isCreate
  frame.isStatic = false
  frame.base = 0
  frame.callersGas = 0
  setGas(frame, message.gas)
  setAddressWord(frame.words, WORD_ADDRESS, to.address)
  setAddressWord(frame.words, WORD_CALLER, sender.address)
  writeBigint(frame.words, WORD_VALUE, value)
  frame.inputAt = 0
  frame.inputSize = message.isCreate ? 0 : data.length
  frame.memoryAt = 32 * Math.ceil(frame.inputSize / 32)
  if (message.isCreate) return beginCreate(frame, sender, data, value)
  ensureMemory(0, frame.memoryAt)
  memory.bytes.set(data)
  const code = delegatedFrom(context, to)
  if (enterCall(frame, code, to.address, sender, value)) return true
  exitFrame(frame)
  return currentWork() !== undefined
}

const beginCreate = (frame: Frame, sender: AccountState, initCode: Uint8Array, value: bigint): boolean => {
  frame.code = initCode
  if (!collides(frame.account)) {
    enterCreate(frame, sender, value)
    return true
  }
  frame.outcome = 'halt'
  frame.halt = 'Illegal state change'
  frame.output = EMPTY_BYTES
  const { tracer } = frame.context
  if (tracer !== undefined) traceEnter(tracer, frame, frame.account.address, undefined)
  setGas(frame, 0n)
  if (tracer !== undefined) traceExit(tracer, frame, 0)
  return false
}

/** EIP-7702: the account whose code runs. At depth 0 the access is free and warms the account. */
const delegatedFrom = ({ state, schedule }: Context, to: AccountState): AccountState => {
  if (!schedule.isPrague || !hasCode(to)) return to
  const delegate: Address | undefined = delegateOf(codeOf(state, to))
  if (delegate === undefined) return to
  const account = accountOf(state, delegate)
  warmAccount(state, account)
  return account
}
