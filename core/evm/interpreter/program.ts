import { toBareHex } from '../../bytes/hex.ts'
import type { Schedule } from '../gas/schedule.ts'

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
}

/** Memory of a program, in bytes. */
export const programBytes = ({ words, targets }: Program): number => words.byteLength + targets.byteLength

/** Code bytes whose programs are cached; a program takes about ten times its code. */
const CACHED_CODE_BYTES_MAX = 4 * 1024 * 1024

type Cached = { readonly program: Program; readonly codeBytes: number }

/** Programs by fork and code hash, the least recently used first: a Map keeps the order of insertion. */
const cache = new Map<string, Cached>()
let cachedBytes = 0

const keyOf = (schedule: Schedule, codeHash: Uint8Array): string => schedule.fork + toBareHex(codeHash)

/** The program of deployed code from the cache, or undefined. */
export const cachedProgram = (schedule: Schedule, codeHash: Uint8Array): Program | undefined => {
  const key = keyOf(schedule, codeHash)
  const known = cache.get(key)
  if (known === undefined) return undefined
  cache.delete(key)
  cache.set(key, known)
  return known.program
}

/** Caches the program of deployed code, and returns it. Initialization code runs once and is not cached. */
export const cacheProgram = (
  schedule: Schedule,
  codeHash: Uint8Array,
  program: Program,
  codeBytes: number,
): Program => {
  const key = keyOf(schedule, codeHash)
  const before = cache.get(key)
  if (before !== undefined) cachedBytes -= before.codeBytes
  cache.set(key, { program, codeBytes })
  cachedBytes += codeBytes
  for (const [oldest, { codeBytes: oldestBytes }] of cache) {
    if (cachedBytes <= CACHED_CODE_BYTES_MAX) break
    cache.delete(oldest)
    cachedBytes -= oldestBytes
  }
  return program
}
