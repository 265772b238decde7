import type { Hash } from '../../bytes/bytes.ts'
import { EMPTY_BYTES, ZERO_ADDRESS } from '../../bytes/bytes.ts'
import type { AccountState } from '../../state/accountState.ts'
import { createAccountState } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { limbOf } from '../../state/limbs.ts'
import type { BlockEnvironment } from '../transaction/environment.ts'
import { type Program, programBytes } from '../interpreter/program.ts'
import type { HaltReason } from '../transaction/result.ts'
import type { Schedule } from '../gas/schedule.ts'
import type { Tracer } from '../interpreter/tracer.ts'

/** What is the same for all frames of one transaction. */
export type Context = {
  readonly state: ExecutionState
  readonly schedule: Schedule
  readonly environment: BlockEnvironment
  /** Words that opcodes 0x30 to 0x4f answer with, eight limbs for each opcode. */
  readonly constants: Int32Array
  readonly blobHashes: readonly Hash[]
  readonly tracer: Tracer | undefined
}

/** Where the words of a frame stand in `Frame.words`. */
export const WORD_ADDRESS = 0
export const WORD_CALLER = 8
export const WORD_VALUE = 16

/** How a frame ended. */
export type Outcome = 'success' | 'revert' | 'halt'

/** One call or creation. Frames are kept by depth and used again; a frame's fields hold while it is on the way. */
export type Frame = {
  readonly depth: number
  context: Context
  /** The opcode that made it; CALL and CREATE for the first. */
  op: number
  isCreate: boolean
  isStatic: boolean
  /** Whose storage it is: ADDRESS. */
  account: AccountState
  /** ADDRESS, CALLER and CALLVALUE as limbs. */
  readonly words: Int32Array
  code: Uint8Array
  program: Program
  /** Where it goes on, saved whenever another frame runs. */
  ip: number
  /** Place of the top item; `base - 1` when there is none. */
  sp: number
  base: number
  gas: number
  /** Gas beyond what `gas` can count; see gas.ts. */
  reserve: bigint
  /** With less gas than `floor` a watched frame asks for a look; `below` is the gas of the frames under it. See watch.ts. */
  floor: number
  below: number
  /** Gas on its way to a callee. */
  given: number
  givenReserve: bigint
  /** Absolute place of the input in `memory`. */
  inputAt: number
  inputSize: number
  memoryAt: number
  memorySize: number
  /** What of the memory the interpreter reaches with 32-bit places; not above 0 where the frame's begins beyond them. */
  nearSize: number
  /** Of the last call that this frame made. */
  returnData: Uint8Array
  /** Where in the parent's memory the output goes. */
  outputOffset: number
  outputSize: number
  /** What to go back to when it fails. */
  checkpoint: number
  logsLength: number
  refund: number
  outcome: Outcome
  halt: HaltReason | undefined
  output: Uint8Array
}

/** Frames above the first that a transaction may have (Yellow Paper). */
export const DEPTH_MAX = 1024

let frames: Frame[] = []

const NO_PROGRAM: Program = { words: new Int32Array(1), targets: new Int32Array(0), isStepped: false }

const NO_ACCOUNT = createAccountState(ZERO_ADDRESS, undefined)

/** Stands in frames that are not on the way: the context of the last message would keep all that its block executed. */
const NO_CONTEXT = {} as Context

/** The frame at this depth, its operands cleared; the caller fills in who calls what. */
export const frameAt = (context: Context, depth: number): Frame => {
  const known = frames[depth]
  if (known !== undefined) {
    known.context = context
    known.returnData = EMPTY_BYTES
    known.memorySize = 0
    known.nearSize = 0
    known.halt = undefined
    known.floor = 0
    return known
  }
  const frame: Frame = {
    depth,
    context,
    op: 0xf1,
    isCreate: false,
    isStatic: false,
    account: NO_ACCOUNT,
    words: new Int32Array(24),
    code: EMPTY_BYTES,
    program: NO_PROGRAM,
    ip: 0,
    sp: -1,
    base: 0,
    gas: 0,
    reserve: 0n,
    floor: 0,
    below: 0,
    given: 0,
    givenReserve: 0n,
    inputAt: 0,
    inputSize: 0,
    memoryAt: 0,
    memorySize: 0,
    nearSize: 0,
    returnData: EMPTY_BYTES,
    outputOffset: 0,
    outputSize: 0,
    checkpoint: 0,
    logsLength: 0,
    refund: 0,
    outcome: 'success',
    halt: undefined,
    output: EMPTY_BYTES,
  }
  frames[depth] = frame
  return frame
}

/** Takes the frames away for a run that pauses; the next one gets its own. */
export const takeFrames = (): Frame[] => {
  const taken = frames
  frames = []
  return taken
}

export const putFrames = (taken: Frame[]): void => {
  frames = taken
}

/** Frames beyond these are dropped after a message. */
const FRAMES_KEPT = 16

/** After a message: frames let go of the state they ran on. Outcome, gas and output of the first still hold. */
export const releaseFrames = (): void => {
  if (frames.length > FRAMES_KEPT) frames.length = FRAMES_KEPT
  for (const frame of frames) {
    frame.context = NO_CONTEXT
    frame.account = NO_ACCOUNT
  }
}

/**
 * Bytes that the frames up to this depth hold beside their memory: what calls returned, and initialization code with its
 * program. Programs of deployed code are counted with the accounts.
 */
export const bytesOfFrames = (depth: number): number => {
  let bytes = 0
  for (let at = 0; at <= depth; at++) {
    const { returnData, isCreate, code, program } = frames[at] as Frame
    bytes += returnData.length
    if (isCreate) bytes += code.length + programBytes(program)
  }
  return bytes
}

/** A frame that has given its result holds no bytes until it is used again. */
export const emptyFrame = (frame: Frame): void => {
  frame.returnData = EMPTY_BYTES
  frame.output = EMPTY_BYTES
  frame.code = EMPTY_BYTES
  frame.program = NO_PROGRAM
}

/** The frame that called this one. */
export const parentOf = (frame: Frame): Frame => frames[frame.depth - 1] as Frame

/** Items this frame may have: 1,024, or what Besu's `evmStackSize` says; no more than SHARED_STACK_ITEMS. */
export const stackLimitOf = (frame: Frame): number => frame.context.environment.rules.stackItemsMax

/** Writes an address into the words of a frame. */
export const setAddressWord = (words: Int32Array, at: number, address: Uint8Array): void => {
  words[at] = limbOf(address, 16)
  words[at + 1] = limbOf(address, 12)
  words[at + 2] = limbOf(address, 8)
  words[at + 3] = limbOf(address, 4)
  words[at + 4] = limbOf(address, 0)
  words[at + 5] = 0
  words[at + 6] = 0
  words[at + 7] = 0
}
