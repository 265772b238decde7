import { toBareHex } from '../../bytes/hex.ts'
import type { Schedule } from '../gas/schedule.ts'

/**
 * Contract code made ready to run: instructions with the words that belong to them in one array, values of PUSH read, jump
 * destinations resolved, and the checks of gas and stack drawn together at the beginning of each basic block.
 */
export type Program = {
  /** Opcodes, and the instructions of `decode.ts` that only programs have. */
  readonly words: Int32Array
  /** By position in the code: the place in `words` that a jump there goes to, -1 where there is no JUMPDEST. */
  readonly targets: Int32Array
  /** True where each instruction is a block of its own. */
  readonly isStepped: boolean
}

/** Bytes that a program takes. */
export const programBytes = ({ words, targets }: Program): number => words.byteLength + targets.byteLength

/** Code bytes whose programs are kept; a program takes about ten times its code. */
const CACHED_CODE_BYTES_MAX = 4 * 1024 * 1024

type Cached = { readonly program: Program; readonly codeBytes: number }

/** By fork and code hash, the longest unused first: a Map keeps the order of insertion. */
const cache = new Map<string, Cached>()
let cachedBytes = 0

const keyOf = (schedule: Schedule, codeHash: Uint8Array): string => schedule.fork + toBareHex(codeHash)

/** The program of deployed code, from the cache. */
export const cachedProgram = (schedule: Schedule, codeHash: Uint8Array): Program | undefined => {
  const key = keyOf(schedule, codeHash)
  const known = cache.get(key)
  if (known === undefined) return undefined
  cache.delete(key)
  cache.set(key, known)
  return known.program
}

/** Keeps the program of deployed code, and gives it. Initialization code runs once and is decoded in place. */
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
