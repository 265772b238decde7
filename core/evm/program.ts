import { toBareHex } from '../bytes/hex.ts'
import { decodeProgram } from './decode.ts'
import type { Schedule } from './schedule.ts'

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

/** Code bytes whose programs are kept; a program takes about ten times its code. */
const CACHED_CODE_BYTES_MAX = 4 * 1024 * 1024

type Cached = { readonly program: Program; readonly codeBytes: number }

/** By fork and code hash, the longest unused first: a Map keeps the order of insertion. */
const cache = new Map<string, Cached>()
let cachedBytes = 0

/** The program of deployed code, from the cache. Initialization code runs once and is decoded in place. */
export const cachedProgram = (schedule: Schedule, codeHash: Uint8Array, code: Uint8Array): Program => {
  const key = schedule.fork + toBareHex(codeHash)
  const known = cache.get(key)
  if (known !== undefined) {
    cache.delete(key)
    cache.set(key, known)
    return known.program
  }
  const program = decodeProgram(code, schedule, false)
  cache.set(key, { program, codeBytes: code.length })
  cachedBytes += code.length
  for (const [oldest, { codeBytes }] of cache) {
    if (cachedBytes <= CACHED_CODE_BYTES_MAX) break
    cache.delete(oldest)
    cachedBytes -= codeBytes
  }
  return program
}
