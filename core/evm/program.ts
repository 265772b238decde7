import { toBareHex } from '../bytes/hex.ts'
import { decodeProgram } from './decode.ts'
import type { Schedule } from './schedule.ts'

/**
 * Contract code made ready to run: one entry in `ops` and `args` for each instruction, values of PUSH read, jump
 * destinations resolved, and the checks of gas and stack drawn together at the beginning of each basic block.
 */
export type Program = {
  /** Opcode bytes, and those of the instructions in `decode.ts` that only programs have. */
  readonly ops: Uint8Array
  readonly args: Int32Array
  /** Values of PUSH that do not fit `args`, in the two forms of a stack item. */
  readonly constants: Float64Array
  readonly constantLimbs: Int32Array
  /** By block: where in the code it begins, the fixed gas of its instructions, the items it needs, how far it rises. */
  readonly blockStarts: Int32Array
  readonly blockGas: Int32Array
  readonly blockNeeds: Int32Array
  readonly blockGrowth: Int32Array
  /** By position in the code: the instruction that a jump there goes to, -1 where there is no JUMPDEST. */
  readonly targets: Int32Array
  /** True when each instruction is a block of its own. */
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
