import type { Steps } from '../../steps.ts'
import { lengthOf, OP_COMPILED } from '../interpreter/instructions.ts'
import type { Program } from '../interpreter/program.ts'
import { wordOf } from './emitter.ts'
import {
  apply,
  BINARY,
  lengthAt,
  type Maker,
  SHL,
  SHR,
  type Simulation,
  UNARY,
  type StackValue,
} from './simulation.ts'

const COMPUTED: StackValue = { word: wordOf(0n) }
const KINDS: Maker = { binary: () => COMPUTED, unary: () => COMPUTED, shift: () => COMPUTED }

/** Instructions of a segment at most: an engine compiles a module of one in some milliseconds. */
const INSTRUCTIONS_MAX = 128

const MULTIPLY = 0x02

export type CodeSegment = {
  readonly start: number
  /** Behind its last instruction. */
  readonly end: number
  /** Change of the number of stack items. */
  readonly delta: number
  /** Items that it reads or moves. */
  readonly needs: number
  /** What compiling it saves, in the time that the interpreter takes for an addition. */
  readonly weight: number
}

/** A multiplication takes the interpreter some five times as long as an addition. */
const weightOf = (op: number): number => {
  if (op === MULTIPLY) return 5
  return BINARY[op] !== undefined || UNARY[op] !== undefined || op === SHL || op === SHR ? 1 : 0
}

/** The longest segment that begins at `start` and ends with an instruction that computes, and where the search stopped. */
const segmentFrom = (
  words: Int32Array,
  start: number,
): { readonly segment?: CodeSegment; readonly next: number } => {
  const simulation: Simulation = { stack: [], needs: 0 }
  let segment: CodeSegment | undefined
  let weight = 0
  let ip = start
  for (let count = 0; count < INSTRUCTIONS_MAX && ip < words.length; count++) {
    const added = weightOf(words[ip] as number)
    if (!apply(simulation, words, ip, KINDS)) break
    ip += lengthAt(words, ip)
    if (added === 0) continue
    weight += added
    const { stack, needs } = simulation
    segment = { start, end: ip, delta: stack.length - needs, needs, weight }
  }
  if (segment !== undefined) return { segment, next: segment.end }
  return { next: ip === start ? ip + lengthAt(words, ip) : ip }
}

/** Words searched between two yields: less than a millisecond. */
const SEARCHED_WORDS = 4096

/** A shorter segment has no room for the instruction that replaces its beginning. */
const SEGMENT_WORDS_MIN = lengthOf(OP_COMPILED)

/** The segments of a program, in order, that are long enough for a COMPILED instruction. */
export function* segmentSteps({ words }: Pick<Program, 'words'>): Steps<readonly CodeSegment[]> {
  const segments: CodeSegment[] = []
  let yieldedAt = 0
  for (let ip = 0; ip < words.length; ) {
    const { segment, next } = segmentFrom(words, ip)
    if (segment !== undefined && segment.end - segment.start >= SEGMENT_WORDS_MIN) segments.push(segment)
    ip = next
    if (ip - yieldedAt < SEARCHED_WORDS) continue
    yieldedAt = ip
    yield
  }
  return segments
}
