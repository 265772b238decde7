import { clearAside } from '../interpreter/stackOverflow.ts'
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
import { leave } from './exitFrame.ts'
import { currentWork } from '../interpreter/longWork.ts'
import { claimMachine, dropRun, type PausedRun, resumeRun } from '../interpreter/machine.ts'
import { memory, releaseMemory, reserve } from '../interpreter/memory.ts'
import { run } from '../interpreter/run.ts'
import { beginWatch, endWatch } from '../interpreter/runLimit.ts'
import { writeBigint } from '../interpreter/stack.ts'
import { traceEnter, traceExit } from '../interpreter/trace.ts'

const CALL = 0xf1
const CREATE = 0xf0

/** The message a transaction sends: the call or creation at depth 0. */
export type TopMessage = {
  readonly sender: AccountState
  /** The contract that is called or made. */
  readonly to: AccountState
  readonly isCreate: boolean
  readonly value: bigint
  readonly data: Uint8Array
  readonly gas: bigint
}

/** A message that runs: its frame, and what it pauses with; undefined when it has come to its end. */
export type StartedMessage = { readonly frame: Frame; readonly paused: PausedRun | undefined }

/** Runs the message until it ends, or a watch says that a pause is due (watch.ts). */
export const startMessage = (context: Context, message: TopMessage): StartedMessage => {
  claimMachine()
  clearAside()
  const frame = frameAt(context, 0)
  const paused = begin(frame, context, message) ? run(frame, beginWatch(frame)) : undefined
  if (paused === undefined) end(frame)
  return { frame, paused }
}

/** Goes on with a message that paused; yields at further pauses. Other messages may run before it goes on. */
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
  end(frame)
}

const end = (frame: Frame): void => {
  endWatch(frame)
  clearAside()
  releaseFrames()
  releaseMemory()
}

/** Runs the message to its end, and gives its frame with the outcome; the frame holds until the next message. */
export function* messageSteps(context: Context, message: TopMessage): Steps<Frame> {
  const { frame, paused } = startMessage(context, message)
  if (paused !== undefined) yield* finishMessage(frame, paused)
  return frame
}

/** Sets up the first frame; false where it has its outcome already. */
const begin = (frame: Frame, context: Context, message: TopMessage): boolean => {
  const { sender, to, data, value } = message
  frame.op = message.isCreate ? CREATE : CALL
  frame.account = to
  frame.isCreate = message.isCreate
  frame.isStatic = false
  frame.base = 0
  frame.below = 0
  setGas(frame, message.gas)
  setAddressWord(frame.words, WORD_ADDRESS, to.address)
  setAddressWord(frame.words, WORD_CALLER, sender.address)
  writeBigint(frame.words, WORD_VALUE, value)
  frame.inputAt = 0
  frame.inputSize = message.isCreate ? 0 : data.length
  frame.memoryAt = 32 * Math.ceil(frame.inputSize / 32)
  if (message.isCreate) return beginCreate(frame, sender, data, value)
  reserve(0, frame.memoryAt)
  memory.bytes.set(data)
  const code = delegatedFrom(context, to)
  if (enterCall(frame, code, to.address, sender, value)) return true
  leave(frame)
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

/** EIP-7702: the account whose code runs; looking there is free at the top, and leaves it warm. */
const delegatedFrom = ({ state, schedule }: Context, to: AccountState): AccountState => {
  if (!schedule.isPrague || !hasCode(to)) return to
  const delegate: Address | undefined = delegateOf(codeOf(state, to))
  if (delegate === undefined) return to
  const account = accountOf(state, delegate)
  warmAccount(state, account)
  return account
}
