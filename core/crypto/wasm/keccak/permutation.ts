import { code, signed, unsigned } from '../../../wasm/encode.ts'
import { TYPE, WASM } from '../../../wasm/instructions.ts'

/*
 * The rounds of Keccak-f[1600] (FIPS 202, section 3) over 25 local variables of 64 bits. The lane (x, y) is the variable
 * x + 5y.
 */

export const LANES = 25
const ROUNDS = 24

const numbers = (count: number, first = 0): number[] =>
  Array.from({ length: count }, (_, index) => first + index)

const get = (local: number): number[] => [WASM.localGet, ...unsigned(local)]
const set = (local: number): number[] => [WASM.localSet, ...unsigned(local)]

/** The bits of the round constants come from a shift register (FIPS 202, algorithm 5). */
const roundConstants = (): bigint[] => {
  let register = 1
  return numbers(ROUNDS).map(() =>
    numbers(7).reduce((constant, j) => {
      const bit = BigInt(register & 1)
      register = (register << 1) ^ (register >> 7 === 0 ? 0 : 0x171)
      return constant | (bit << ((1n << BigInt(j)) - 1n))
    }, 0n),
  )
}

/** The round constants as the module's memory holds them. */
export const ROUND_CONSTANTS: readonly number[] = roundConstants().flatMap(constant =>
  numbers(8).map(byte => Number((constant >> BigInt(8 * byte)) & 0xffn)),
)

/** Bits by which each lane rotates (step rho), and the lane that each lane comes from (step pi). */
const lanePaths = (): { readonly rotations: readonly number[]; readonly sources: readonly number[] } => {
  const rotations = numbers(LANES).fill(0)
  const sources = numbers(LANES).fill(0)
  let [x, y] = [1, 0]
  for (let step = 0; step < LANES - 1; step++) {
    rotations[x + 5 * y] = (((step + 1) * (step + 2)) / 2) % 64
    const next = (2 * x + 3 * y) % 5
    sources[y + 5 * next] = x + 5 * y
    ;[x, y] = [y, next]
  }
  return { rotations, sources }
}

const { rotations: ROTATIONS, sources: SOURCES } = lanePaths()

/** Local variables of the permutation. */
export type PermutationLocals = {
  /** The first of the lanes. */
  readonly lanes: number
  /** The first of SCRATCH_LANES others. */
  readonly scratch: number
  /** One of 32 bits. */
  readonly offset: number
}

/** The lanes between two rounds, parities of columns, sums of two of them, and a row. */
export const SCRATCH_LANES = LANES + 5 + 5 + 5

/** One round from the lanes at `from` to the lanes at `to`; `constant` leaves the round constant on the stack. */
const round = (from: number, to: number, scratch: number, constant: readonly number[]): number[] => {
  const [parity, sum, row] = [scratch, scratch + 5, scratch + 10]
  const theta = numbers(5).flatMap(x => [
    ...get(from + x),
    ...numbers(4, 1).flatMap(y => [...get(from + x + 5 * y), WASM.i64Xor]),
    ...set(parity + x),
  ])
  const sums = numbers(5).flatMap(x => [
    ...get(parity + ((x + 4) % 5)),
    ...code(...get(parity + ((x + 1) % 5)), WASM.i64Const, 1, WASM.i64Rotl, WASM.i64Xor, ...set(sum + x)),
  ])
  const rows = numbers(5).flatMap(y => [
    ...numbers(5).flatMap(x => {
      const source = SOURCES[x + 5 * y] as number
      const rotation = ROTATIONS[source] as number
      const rotate = rotation === 0 ? [] : [WASM.i64Const, ...signed(BigInt(rotation)), WASM.i64Rotl]
      return [...get(from + source), ...get(sum + (source % 5)), WASM.i64Xor, ...rotate, ...set(row + x)]
    }),
    ...numbers(5).flatMap(x => [
      ...code(...get(row + x), ...get(row + ((x + 1) % 5)), WASM.i64Const, ...signed(-1n), WASM.i64Xor),
      ...code(...get(row + ((x + 2) % 5)), WASM.i64And, WASM.i64Xor),
      ...(x === 0 && y === 0 ? [...constant, WASM.i64Xor] : []),
      ...set(to + x + 5 * y),
    ]),
  ])
  return [...theta, ...sums, ...rows]
}

const ALIGN_8 = 3

/**
 * The permutation of the lanes. A loop of two rounds: the lanes need no copy at its end, and engines find registers for it
 * that they do not find for all 24 rounds in a row.
 */
export const permutation = ({ lanes, scratch, offset }: PermutationLocals, constantsAt: number): number[] => {
  const constant = (index: number): number[] => [
    ...code(...get(offset), WASM.i64Load, ALIGN_8, ...unsigned(constantsAt + 8 * index)),
  ]
  const other = scratch
  const rest = scratch + LANES
  return [
    ...code(WASM.i32Const, 0, ...set(offset), WASM.loop, TYPE.none),
    ...round(lanes, other, rest, constant(0)),
    ...round(other, lanes, rest, constant(1)),
    ...code(...get(offset), WASM.i32Const, 16, WASM.i32Add, WASM.localTee, ...unsigned(offset)),
    ...code(WASM.i32Const, ...signed(BigInt(8 * ROUNDS)), WASM.i32LtU, WASM.branchIf, 0, WASM.end),
  ]
}
