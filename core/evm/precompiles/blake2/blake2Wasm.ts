import { code, name, section, signed, sized, unsigned } from '../../../wasm/encode.ts'
import { TYPE, WASM } from '../../../wasm/instructions.ts'
import { SIGMA } from './blake2Sigma.ts'

/*
 * BLAKE2b's rounds as a WebAssembly module of one function. 64-bit additions and rotations are single instructions in
 * WebAssembly and a dozen in JavaScript. EIP-152 charges one gas for a round, so in JavaScript a block of ordinary size
 * could keep a node busy for seconds.
 */

const { i32: I32, i64: I64, none: NO_RESULT } = TYPE
const {
  block: BLOCK,
  loop: LOOP,
  end: END,
  branch: BRANCH,
  branchIf: BRANCH_IF,
  localGet: LOCAL_GET,
  localSet: LOCAL_SET,
  i64Load: I64_LOAD,
  i64Store: I64_STORE,
  i32Const: I32_CONST,
  i64Const: I64_CONST,
  i32Eqz: I32_EQZ,
  i32Sub: I32_SUB,
  i64Add: I64_ADD,
  i64Xor: I64_XOR,
  i64Rotr: I64_ROTR,
} = WASM
/** Loads and stores are aligned to 2 ** 3 bytes. */
const ALIGNED = 3

/** Local 0 is the number of rounds left, the next sixteen are the work vector, then come the message words. */
const ROUNDS = 0
const word = (index: number): number => 1 + index
const messageWord = (index: number): number => 17 + index

const rotated = (into: number, by: number, bits: number): number[] => [
  ...code(
    LOCAL_GET,
    into,
    LOCAL_GET,
    by,
    I64_XOR,
    I64_CONST,
    ...signed(BigInt(bits)),
    I64_ROTR,
    LOCAL_SET,
    into,
  ),
]

/** RFC 7693 §3.1. */
const mix = (a: number, b: number, c: number, d: number, x: number, y: number): number[] => [
  ...code(LOCAL_GET, a, LOCAL_GET, b, I64_ADD, LOCAL_GET, x, I64_ADD, LOCAL_SET, a),
  ...rotated(d, a, 32),
  ...code(LOCAL_GET, c, LOCAL_GET, d, I64_ADD, LOCAL_SET, c),
  ...rotated(b, c, 24),
  ...code(LOCAL_GET, a, LOCAL_GET, b, I64_ADD, LOCAL_GET, y, I64_ADD, LOCAL_SET, a),
  ...rotated(d, a, 16),
  ...code(LOCAL_GET, c, LOCAL_GET, d, I64_ADD, LOCAL_SET, c),
  ...rotated(b, c, 63),
]

const COLUMNS_AND_DIAGONALS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const

/** Exits the outer block when no round is left; otherwise decreases the number of rounds and mixes. */
const round = (schedule: Uint8Array): number[] => [
  ...code(LOCAL_GET, ROUNDS, I32_EQZ, BRANCH_IF, 1),
  ...code(LOCAL_GET, ROUNDS, I32_CONST, 1, I32_SUB, LOCAL_SET, ROUNDS),
  ...COLUMNS_AND_DIAGONALS.flatMap(([a, b, c, d], index) =>
    mix(
      word(a),
      word(b),
      word(c),
      word(d),
      messageWord(schedule[2 * index] as number),
      messageWord(schedule[2 * index + 1] as number),
    ),
  ),
]

const words = Array.from({ length: 32 }, (_, index) => index)

const body = (): number[] => [
  ...code(1, 32, I64),
  ...words.flatMap(index => [
    I32_CONST,
    0,
    I64_LOAD,
    ALIGNED,
    ...unsigned(8 * index),
    LOCAL_SET,
    word(index),
  ]),
  ...code(BLOCK, NO_RESULT, LOOP, NO_RESULT),
  ...SIGMA.flatMap(round),
  ...code(BRANCH, 0, END, END),
  ...words
    .slice(0, 16)
    .flatMap(index => [I32_CONST, 0, LOCAL_GET, word(index), I64_STORE, ALIGNED, ...unsigned(8 * index)]),
  END,
]

const moduleBytes = (): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([
    ...code(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0),
    ...section(1, [1, 0x60, 1, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name('rounds'), 0, 0]),
    ...section(10, [1, ...sized(body())]),
  ])

/**
 * Rounds of one call, a multiple of ten, so that the next call begins with the first schedule. V8 switches to optimized
 * code only between calls: one long call would run ten times slower to its end.
 */
const ROUNDS_AT_ONCE = 100_000

export type Blake2Rounds = {
  /** The work vector of sixteen 64-bit words as 32-bit halves, low first. */
  readonly vector: Int32Array
  /** The sixteen words of the message block, as 32-bit halves. */
  readonly message: Int32Array
  /** Mixes so many rounds, up to 2^32 - 1. */
  readonly run: (rounds: number) => void
}

/** The compiled rounds; undefined where the runtime forbids compiling WebAssembly, as Workers do. */
export const compileBlake2Rounds = (): Blake2Rounds | undefined => {
  try {
    const { memory, rounds } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes())).exports as {
      readonly memory: WebAssembly.Memory
      readonly rounds: (count: number) => void
    }
    return {
      vector: new Int32Array(memory.buffer, 0, 32),
      message: new Int32Array(memory.buffer, 128, 32),
      run: count => {
        for (let left = count; left > 0; left -= ROUNDS_AT_ONCE) rounds(Math.min(left, ROUNDS_AT_ONCE))
      },
    }
  } catch {
    // The runtime forbids compiling; the caller uses the JavaScript rounds.
    return undefined
  }
}
