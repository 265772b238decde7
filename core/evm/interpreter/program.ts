import { toBareHex } from '../../bytes/hex.ts'
import type { GasSchedule } from '../gas/gasSchedule.ts'
import type { CodeWindow } from './codeWindows.ts'
import type { CompiledSegment } from '../compiled/module.ts'

/**
 * Decoded contract code: one array of instructions with their operands. Values of PUSH are decoded, jump destinations are
 * resolved, and the checks of gas and stack are combined at the beginning of each basic block.
 */
export type Program = {
  /** Opcodes, and the instructions of `decode.ts` that only programs have. */
  readonly words: Int32Array
  /** For each position in the code: the index in `words` that a jump to it continues at; -1 if it is not a JUMPDEST. */
  readonly targets: Int32Array
  /** True when each instruction is its own block. */
  readonly isStepped: boolean
  /** Of long code, which is decoded in windows as it runs: the one that this is. Undefined for whole code. */
  readonly codeWindow: CodeWindow | undefined
  /** Calls so far, counted up to the one that makes the program hot (compiled/). */
  calls: number
  /** The compiled segments that COMPILED instructions in `words` run. */
  compiled: readonly CompiledSegment[]
}

/** A program that nothing has run yet. `codeWindow` is given for a part of long code alone. */
export const createProgram = (
  words: Int32Array,
  targets: Int32Array,
  isStepped: boolean,
  codeWindow?: CodeWindow,
): Program => ({ words, targets, isStepped, codeWindow, calls: 0, compiled: [] })

/** Memory of a program, in bytes. */
export const programBytes = ({ words, targets }: Program): number => words.byteLength + targets.byteLength

/** Memory of the programs that are cached; a program usually takes about ten times its code, and at most some thirty times. */
const CACHED_BYTES_MAX = 40 * 1024 * 1024

/** Programs by fork and code hash, the least recently used first: a Map keeps the order of insertion. */
const cache = new Map<string, Program>()
let cachedBytes = 0

const keyOf = (schedule: GasSchedule, codeHash: Uint8Array): string => schedule.fork + toBareHex(codeHash)

/** The program of deployed code from the cache, or undefined. */
export const cachedProgram = (schedule: GasSchedule, codeHash: Uint8Array): Program | undefined => {
  const key = keyOf(schedule, codeHash)
  const known = cache.get(key)
  if (known === undefined) return undefined
  cache.delete(key)
  cache.set(key, known)
  return known
}

/** Caches the program of deployed code, and returns it. Initialization code runs once and is not cached. */
export const cacheProgram = (schedule: GasSchedule, codeHash: Uint8Array, program: Program): Program => {
  const key = keyOf(schedule, codeHash)
  const before = cache.get(key)
  if (before !== undefined) cachedBytes -= programBytes(before)
  cache.set(key, program)
  cachedBytes += programBytes(program)
  for (const [oldest, kept] of cache) {
    if (cachedBytes <= CACHED_BYTES_MAX) break
    cache.delete(oldest)
    cachedBytes -= programBytes(kept)
  }
  return program
}
