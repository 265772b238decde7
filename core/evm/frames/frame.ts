import type { Hash } from '../../bytes/bytes.ts'
import { EMPTY_BYTES, ZERO_ADDRESS } from '../../bytes/bytes.ts'
import type { AccountState } from '../../state/accountState.ts'
import { createAccountState } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { limbOf } from '../../state/limbs.ts'
import type { BlockEnvironment } from '../transaction/environment.ts'
import { createProgram, type Program, programBytes } from '../interpreter/program.ts'
import type { HaltReason } from '../transaction/result.ts'
import type { GasSchedule } from '../gas/gasSchedule.ts'
import type { Tracer } from '../interpreter/tracer.ts'

/** The data that all frames of one transaction share. */
export type Context = {
  readonly state: ExecutionState
  readonly schedule: GasSchedule
  readonly environment: BlockEnvironment
  /** Words that opcodes 0x30 to 0x4f push, eight limbs for each opcode. */
  readonly constants: Int32Array
  readonly blobHashes: readonly Hash[]
  readonly tracer: Tracer | undefined
}

/** Offsets of the words of a frame in `Frame.words`. */
export const WORD_ADDRESS = 0
export const WORD_CALLER = 8
export const WORD_VALUE = 16

/** The outcome of a frame. */
export type Outcome = 'success' | 'revert' | 'halt'

/** One call or creation. Frames are kept by depth and reused; the fields of a frame are valid until it ends. */
export type Frame = {
  readonly depth: number
  context: Context
  /** The opcode that created the frame; CALL or CREATE for the first frame. */
  op: number
  isCreate: boolean
  isStatic: boolean
  /** The account of ADDRESS, whose storage the frame uses. */
  account: AccountState
  /** ADDRESS, CALLER and CALLVALUE as limbs. */
  readonly words: Int32Array
  code: Uint8Array
  program: Program
  /** Index in `program.words` of the next instruction, saved whenever another frame runs. */
  ip: number
  /** Index of the top item; `base - 1` when the frame has no item. */
  sp: number
  base: number
  gas: number
  /** Gas above the most that `gas` can hold; see gas.ts. */
  gasReserve: bigint
  /** When `gas` falls below this, the run limit is checked (runLimit.ts). */
  checkBelow: number
  callersGas: number
  /** Sum of the gas of all calling frames. */
  calleeGas: number
  calleeGasReserve: bigint
  /** Offset of the input in `memory`. */
  inputAt: number
  inputSize: number
  memoryAt: number
  memorySize: number
  /** Bytes of the frame's memory with 32-bit offsets in `memory`; 0 or less when the frame's memory begins above them. */
  nearSize: number
  /** Return data of the last call that this frame made. */
  returnData: Uint8Array
  /** Offset in the caller's memory to which the output is copied. */
  outputOffset: number
  outputSize: number
  /** State to restore when the frame fails. */
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

const NO_PROGRAM = createProgram(new Int32Array(1), new Int32Array(0), false)

const NO_ACCOUNT = createAccountState(ZERO_ADDRESS, undefined)

/** The context of unused frames: the context of the last message would keep the state of its whole block in memory. */
const NO_CONTEXT = {} as Context

/** The frame at this depth, with its results cleared; the caller sets the other fields. */
export const frameAt = (context: Context, depth: number): Frame => {
  const known = frames[depth]
  if (known !== undefined) {
    known.context = context
    known.returnData = EMPTY_BYTES
    known.memorySize = 0
    known.nearSize = 0
    known.halt = undefined
    known.checkBelow = 0
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
    gasReserve: 0n,
    checkBelow: 0,
    callersGas: 0,
    calleeGas: 0,
    calleeGasReserve: 0n,
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

/** Takes the frames of a run that pauses; the next run gets new ones. */
export const takeFrames = (): Frame[] => {
  const taken = frames
  frames = []
  return taken
}

export const putFrames = (taken: Frame[]): void => {
  frames = taken
}

/** Frames that are kept after a message. */
const FRAMES_KEPT = 16

/** After a message: removes the references to the state. Outcome, gas and output of the first frame stay valid. */
export const releaseFrames = (): void => {
  if (frames.length > FRAMES_KEPT) frames.length = FRAMES_KEPT
  for (const frame of frames) {
    frame.context = NO_CONTEXT
    frame.account = NO_ACCOUNT
  }
}

/**
 * Bytes that the frames up to this depth hold besides their memory: return data, and initialization code with its program.
 * Programs of deployed code are counted with the accounts.
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

/** Removes the references to bytes from a frame that has given its result. */
export const clearFrame = (frame: Frame): void => {
  frame.returnData = EMPTY_BYTES
  frame.output = EMPTY_BYTES
  frame.code = EMPTY_BYTES
  frame.program = NO_PROGRAM
}

/** Saves the position, stack and gas of a frame before another frame runs. */
export const save = (frame: Frame, ip: number, sp: number, gas: number): void => {
  frame.ip = ip
  frame.sp = sp
  frame.gas = gas
}

/** The frame that called this one. */
export const parentOf = (frame: Frame): Frame => frames[frame.depth - 1] as Frame

/** Most stack items of this frame: 1,024, or Besu's `evmStackSize`; at most SHARED_STACK_ITEMS. */
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
