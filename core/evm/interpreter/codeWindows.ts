import { JUMPDEST } from './opcodeBytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import type { Steps } from '../../steps.ts'
import type { Frame } from '../frames/frame.ts'
import type { GasSchedule } from '../gas/gasSchedule.ts'
import { decodePart, outside, positionOutside } from './decode.ts'
import { createProgram, type Program } from './program.ts'
import { limitDecoding } from './runLimit.ts'
import { freeWords, takeWords } from './windowWords.ts'

/*
 * A program takes up to thirty times the memory of its code: half a gigabyte for the largest code that a raised
 * `contractSizeLimit` admits. Long code is therefore not decoded as a whole, but in windows, when a run gets there. What is
 * kept of the whole is where its instructions and its JUMPDESTs are: an eighth of its bytes.
 */

/** Code above this is decoded in windows. Deploying a byte costs 200 gas: nobody pays for that much where gas has a price. */
export const WINDOWED_CODE_BYTES = 512 * 1024

/** Code bytes of a window. Each of 1,024 frames may keep the program of another one: 100 MB at most. */
const WINDOW_BYTES = 2048

/** Memory of the window programs that are kept besides those that frames are in. */
const WINDOW_PROGRAMS_BYTES_MAX = 16 * 1024 * 1024

/** Code whose instructions are known stays known, up to so many bytes of code. */
const KNOWN_CODE_BYTES_MAX = 64 * 1024 * 1024

/** Code bytes that are looked through between two yields: about a millisecond. */
const SCANNED_AT_ONCE = 256 * 1024

/** Gas that decoding a window counts for the limit of the run: about 20 us. */
const WINDOW_GAS = 1_000

/** Long code for a fork. */
export type WindowedCode = {
  readonly code: Uint8Array
  readonly schedule: GasSchedule
  readonly isStepped: boolean
  /** A bit for each position of the code: whether a JUMPDEST stands there. */
  readonly destinations: Uint8Array
  /** By window: how far behind its boundary the first instruction stands, because data of a PUSH reaches into it. */
  readonly starts: Uint8Array
  readonly programs: (Program | undefined)[]
}

/** A part of long code. */
export type CodeWindow = {
  readonly windowed: WindowedCode
  /** Positions in the code. */
  readonly start: number
  readonly end: number
  /** By position behind `start`, as in `Program`. */
  readonly targets: Int32Array
  /** Frames that run this window. Never too low; too high where a frame ended or was abandoned in it. */
  frames: number
  /** True while `WindowedCode.programs` has it. */
  isKept: boolean
}

const PUSH1 = 0x60
const PUSH32 = 0x7f

/** Finds the instructions of long code. Yields between many. */
export function* windowedCodeSteps(
  code: Uint8Array,
  schedule: GasSchedule,
  isStepped: boolean,
): Steps<WindowedCode> {
  const destinations = new Uint8Array((code.length + 7) >> 3)
  const starts = new Uint8Array(Math.ceil(code.length / WINDOW_BYTES))
  let next = SCANNED_AT_ONCE
  let codeWindow = 0
  for (let pc = 0; pc < code.length; pc++) {
    if (pc >= codeWindow * WINDOW_BYTES) {
      starts[codeWindow] = pc - codeWindow * WINDOW_BYTES
      codeWindow++
    }
    const op = code[pc] as number
    if (op === JUMPDEST) destinations[pc >> 3] = (destinations[pc >> 3] as number) | (1 << (pc & 7))
    else if (op >= PUSH1 && op <= PUSH32) pc += op - PUSH1 + 1
    if (pc < next) continue
    next = pc + SCANNED_AT_ONCE
    yield
  }
  return { code, schedule, isStepped, destinations, starts, programs: [] }
}

/** By fork and code hash, the longest unused first: a Map keeps the order of insertion. */
const known = new Map<string, WindowedCode>()
let knownBytes = 0

const keyOf = (schedule: GasSchedule, codeHash: Uint8Array, isStepped: boolean): string =>
  `${schedule.fork}${isStepped ? ' stepped ' : ' '}${toBareHex(codeHash)}`

export const knownWindowedCode = (
  schedule: GasSchedule,
  codeHash: Uint8Array,
  isStepped: boolean,
): WindowedCode | undefined => {
  const key = keyOf(schedule, codeHash, isStepped)
  const found = known.get(key)
  if (found === undefined) return undefined
  known.delete(key)
  known.set(key, found)
  return found
}

export const keepWindowedCode = (windowed: WindowedCode, codeHash: Uint8Array): void => {
  const key = keyOf(windowed.schedule, codeHash, windowed.isStepped)
  knownBytes += windowed.code.length - (known.get(key)?.code.length ?? 0)
  known.set(key, windowed)
  for (const [oldest, { code }] of known) {
    if (knownBytes <= KNOWN_CODE_BYTES_MAX || known.size === 1) break
    known.delete(oldest)
    knownBytes -= code.length
  }
}

/** The window programs that are kept, the oldest first. */
const kept: { readonly windowed: WindowedCode; readonly index: number }[] = []
let keptBytes = 0

/** Releases the memory of a program for reuse if it is not cached and no frame runs it. */
const freeUnused = ({ words, codeWindow }: Program): void => {
  if (codeWindow === undefined || codeWindow.isKept || codeWindow.frames > 0) return
  freeWords(words)
  freeWords(codeWindow.targets)
}

const keep = (windowed: WindowedCode, index: number, program: Program): void => {
  windowed.programs[index] = program
  kept.push({ windowed, index })
  keptBytes += bytesOf(program)
  while (keptBytes > WINDOW_PROGRAMS_BYTES_MAX) {
    const oldest = kept.shift()
    const dropped = oldest?.windowed.programs[oldest.index]
    if (oldest === undefined || dropped === undefined) break
    oldest.windowed.programs[oldest.index] = undefined
    keptBytes -= bytesOf(dropped)
    if (dropped.codeWindow !== undefined) dropped.codeWindow.isKept = false
    freeUnused(dropped)
  }
}

const bytesOf = ({ words, codeWindow }: Program): number =>
  words.buffer.byteLength + (codeWindow?.targets.buffer.byteLength ?? 0)

const NO_TARGETS = new Int32Array(0)

/** Whether a JUMPDEST stands at this position. */
const isDestination = ({ code, destinations }: WindowedCode, position: number): boolean =>
  position < code.length && (((destinations[position >> 3] as number) >> (position & 7)) & 1) === 1

/** The target of a jump to a position that is perhaps in another window; -1 where there is no JUMPDEST. */
export const targetOutside = (codeWindow: CodeWindow | undefined, position: number): number =>
  codeWindow !== undefined && isDestination(codeWindow.windowed, position) ? outside(position) : -1

const decodeWindow = (windowed: WindowedCode, index: number): Program => {
  const { code, starts } = windowed
  const start = index * WINDOW_BYTES + (starts[index] as number)
  const end = Math.max(start, Math.min((index + 1) * WINDOW_BYTES, code.length))
  const { words, targets } = decodePart(
    windowed,
    start,
    end,
    position => isDestination(windowed, position),
    takeWords,
  )
  const codeWindow = { windowed, start, end, targets, frames: 0, isKept: true }
  return createProgram(words, NO_TARGETS, windowed.isStepped, codeWindow)
}

/** Makes the frame run the window of that position, which is where a window begins or a JUMPDEST. Gives its place there. */
const enterAt = (frame: Frame, windowed: WindowedCode, position: number): number => {
  const index = Math.floor(position / WINDOW_BYTES)
  let program = windowed.programs[index]
  if (program === undefined) {
    limitDecoding(frame, WINDOW_GAS)
    program = decodeWindow(windowed, index)
    keep(windowed, index, program)
  }
  const left = frame.program
  const codeWindow = program.codeWindow as CodeWindow
  codeWindow.frames++
  frame.program = program
  if (left.codeWindow !== undefined) {
    left.codeWindow.frames--
    freeUnused(left)
  }
  const { start, targets } = codeWindow
  return position === start ? 0 : (targets[position - start] as number)
}

/** Continues the frame in the window that has the position behind `target` (below -1). */
export const enterWindow = (frame: Frame, target: number): number =>
  enterAt(frame, (frame.program.codeWindow as CodeWindow).windowed, positionOutside(target))

/** Makes the frame begin to run long code. */
export const beginWindows = (frame: Frame, windowed: WindowedCode): void => {
  frame.ip = enterAt(frame, windowed, 0)
}
