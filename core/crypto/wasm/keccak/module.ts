import { code, name, section, signed, sized, unsigned } from '../../../wasm/encode.ts'
import { TYPE, WASM } from '../../../wasm/instructions.ts'
import { LANES, permutation, ROUND_CONSTANTS, SCRATCH_LANES } from './permutation.ts'

/*
 * Keccak-256 as a WebAssembly module, generated here: the state stays in local variables from the first block to the last.
 * Its memory: the state, whose first 32 bytes are the digest; the round constants; the input.
 */

/** Bytes that each permutation takes from the input (the rate of Keccak-256). */
export const BLOCK_BYTES = 136
export const STATE_BYTES = 8 * LANES
const CONSTANTS_AT = 256
const INPUT_AT = 512
/** Bytes behind the input that padding may write: a block, and what a store of eight bytes writes beyond. */
export const PADDING_BYTES = BLOCK_BYTES + 8

const LANE_BYTES = 8
const UNALIGNED = 0
const ALIGN_8 = 3

const int = (value: number): number[] => [WASM.i32Const, ...signed(BigInt(value))]
const get = (local: number): number[] => [WASM.localGet, local]
const set = (local: number): number[] => [WASM.localSet, local]
const tee = (local: number): number[] => [WASM.localTee, local]

const lanes = Array.from({ length: LANES }, (_, lane) => lane)

/** Both functions have three parameters; the first is the position of the input, the last whether the state continues. */
const AT = 0
const CONTINUES = 2

/** absorb(at, end, continues): absorbs the blocks up to `end`, into the state in memory or a new one. */
const absorb = (): number[] => {
  const [END, OFFSET, FIRST] = [1, 3, 4]
  const at = (lane: number): number[] => unsigned(LANE_BYTES * lane)
  return [
    ...code(2, 1, TYPE.i32, ...unsigned(LANES + SCRATCH_LANES), TYPE.i64),
    ...code(...get(CONTINUES), WASM.if, TYPE.none),
    ...lanes.flatMap(lane => [...int(0), WASM.i64Load, ALIGN_8, ...at(lane), ...set(FIRST + lane)]),
    ...code(WASM.end, WASM.loop, TYPE.none),
    ...lanes
      .slice(0, BLOCK_BYTES / LANE_BYTES)
      .flatMap(lane => [
        ...code(...get(FIRST + lane), ...get(AT), WASM.i64Load, UNALIGNED, ...at(lane)),
        ...code(WASM.i64Xor, ...set(FIRST + lane)),
      ]),
    ...permutation({ lanes: FIRST, scratch: FIRST + LANES, offset: OFFSET }, CONSTANTS_AT),
    ...code(...get(AT), ...int(BLOCK_BYTES), WASM.i32Add, ...tee(AT)),
    ...code(...get(END), WASM.i32LtU, WASM.branchIf, 0, WASM.end),
    ...lanes.flatMap(lane => [...int(0), ...get(FIRST + lane), WASM.i64Store, ALIGN_8, ...at(lane)]),
    WASM.end,
  ]
}

/** finish(at, length, continues): pads the input of that length with one bit at each end of the padding, and absorbs it. */
const finish = (): number[] => {
  const [LENGTH, END, POSITION] = [1, 3, 4]
  const blocks = [...get(LENGTH), ...int(BLOCK_BYTES), WASM.i32DivU, ...int(1), WASM.i32Add]
  const last = [...get(END), ...int(1), WASM.i32Sub]
  return [
    ...code(1, 2, TYPE.i32),
    ...code(...blocks, ...int(BLOCK_BYTES), WASM.i32Mul, ...get(AT), WASM.i32Add, ...set(END)),
    ...code(...get(LENGTH), ...get(AT), WASM.i32Add, ...tee(POSITION)),
    ...code(WASM.i64Const, 1, WASM.i64Store, UNALIGNED, 0),
    // Zeros up to the end.
    ...code(WASM.loop, TYPE.none, ...get(POSITION), ...int(LANE_BYTES), WASM.i32Add, ...tee(POSITION)),
    ...code(...get(END), WASM.i32LtU, WASM.if, TYPE.none),
    ...code(...get(POSITION), WASM.i64Const, 0, WASM.i64Store, UNALIGNED, 0),
    ...code(WASM.branch, 1, WASM.end, WASM.end),
    ...code(...last, ...last, WASM.i32Load8U, 0, 0, ...int(0x80), WASM.i32Or, WASM.i32Store8, 0, 0),
    ...code(...get(AT), ...get(END), ...get(CONTINUES), WASM.call, 0, WASM.end),
  ]
}

const heapBase = (): number[] => [0, ...int(INPUT_AT), WASM.end]

/** The bytes of the module; they need not be made twice. */
export const keccakModule = (): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([
    ...code(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0),
    ...section(1, [2, ...code(0x60, 3, TYPE.i32, TYPE.i32, TYPE.i32, 0), ...code(0x60, 0, 1, TYPE.i32)]),
    ...section(3, [3, 0, 0, 1]),
    ...section(5, [1, 0, 1]),
    ...section(7, [
      ...code(4, ...name('memory'), 2, 0, ...name('absorb'), 0, 0),
      ...code(...name('finish'), 0, 1, ...name('heap_base'), 0, 2),
    ]),
    ...section(10, [3, ...[absorb(), finish(), heapBase()].flatMap(sized)]),
    ...section(11, [1, 0, ...int(CONSTANTS_AT), WASM.end, ...sized(ROUND_CONSTANTS)]),
  ])
