import { code as group, signed, unsigned } from '../../wasm/encode.ts'
import { NUMBERS_AT } from '../interpreter/stack.ts'
import { TYPE, WASM } from '../../wasm/instructions.ts'

/** 64 bits of a word: a constant, or a local variable of the function. */
export type Limb = { readonly constant: bigint } | { readonly local: number }

/** Four limbs, the least significant first. */
export type Word = readonly [Limb, Limb, Limb, Limb]

export const ZERO: Limb = { constant: 0n }

/** The parameter: the index of the top item of the stack. */
const TOP = 0
/** Local variables: byte offsets of the lowest item that the segment reads or writes, in both forms, and a number. */
const LIMBS_AT = 1
const NUMBER_AT = 2
const NUMBER = 3
const LOCALS_FIRST = 4

/** A function of WebAssembly in progress. */
export type Emitter = { readonly code: number[]; locals: number }

export const createEmitter = (): Emitter => ({ code: [], locals: LOCALS_FIRST })

export const get = (limb: Limb): number[] =>
  'constant' in limb ? [WASM.i64Const, ...signed(limb.constant)] : [WASM.localGet, ...unsigned(limb.local)]

/** Assigns the value that these instructions leave to a new local variable. */
export const assign = (emitter: Emitter, ...instructions: readonly number[]): Limb => {
  const local = emitter.locals++
  emitter.code.push(...instructions, WASM.localSet, ...unsigned(local))
  return { local }
}

export const isZero = (limb: Limb): boolean => 'constant' in limb && limb.constant === 0n

export const wordOf = (value: bigint): Word => {
  const limb = (index: bigint): Limb => ({ constant: BigInt.asUintN(64, value >> (64n * index)) })
  return [limb(0n), limb(1n), limb(2n), limb(3n)]
}

const LIMBS_SHIFT = 5
const NUMBERS_SHIFT = 3
const ALIGN_8 = 3
/** A number below 2^53 is in `numbers`. */
const NUMBER_BITS = 53n

/** Computes the offsets of the item `depth` below the top. */
export const emitBase = ({ code }: Emitter, depth: number): void => {
  const index = [WASM.localGet, TOP, WASM.i32Const, ...signed(BigInt(-depth)), WASM.i32Add]
  code.push(...index, WASM.i32Const, LIMBS_SHIFT, WASM.i32Shl, WASM.localSet, LIMBS_AT)
  code.push(...index, WASM.i32Const, NUMBERS_SHIFT, WASM.i32Shl, WASM.localSet, NUMBER_AT)
}

/** Reads the item `place` above the lowest one. */
export const loadItem = (emitter: Emitter, place: number): Word => {
  const { code } = emitter
  const locals = [0, 1, 2, 3].map(() => emitter.locals++)
  const [first] = locals as [number]
  code.push(WASM.localGet, NUMBER_AT, WASM.f64Load, ALIGN_8, ...unsigned(NUMBERS_AT + 8 * place))
  code.push(WASM.localTee, NUMBER, WASM.localGet, NUMBER, WASM.f64Eq, WASM.if, TYPE.none)
  code.push(WASM.localGet, NUMBER, WASM.i64TruncF64U, WASM.localSet, ...unsigned(first))
  for (const local of locals.slice(1)) code.push(WASM.i64Const, 0, WASM.localSet, ...unsigned(local))
  code.push(WASM.else)
  locals.forEach((local, index) => {
    code.push(WASM.localGet, LIMBS_AT, WASM.i64Load, ALIGN_8, ...unsigned(32 * place + 8 * index))
    code.push(WASM.localSet, ...unsigned(local))
  })
  code.push(WASM.end)
  return locals.map(local => ({ local })) as unknown as Word
}

/** Writes a word in its canonical form to the item `place` above the lowest one. */
export const storeItem = ({ code }: Emitter, place: number, [l0, l1, l2, l3]: Word): void => {
  const at = [ALIGN_8, ...unsigned(NUMBERS_AT + 8 * place)]
  const small = [WASM.localGet, NUMBER_AT, ...get(l0), WASM.f64ConvertI64U, WASM.f64Store, ...at]
  const upper = [
    ...group(...get(l0), WASM.i64Const, ...signed(NUMBER_BITS), WASM.i64ShrU),
    ...[l1, l2, l3].filter(limb => !isZero(limb)).flatMap(limb => [...get(limb), WASM.i64Or]),
  ]
  code.push(...upper, WASM.i64Eqz, WASM.if, TYPE.none, ...small, WASM.else)
  const nan = [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]
  code.push(WASM.localGet, NUMBER_AT, WASM.f64Const, ...nan, WASM.f64Store, ...at)
  ;[l0, l1, l2, l3].forEach((limb, index) => {
    code.push(
      WASM.localGet,
      LIMBS_AT,
      ...get(limb),
      WASM.i64Store,
      ALIGN_8,
      ...unsigned(32 * place + 8 * index),
    )
  })
  code.push(WASM.end)
}

/** The function's body with its locals. */
export const bodyOf = ({ code, locals }: Emitter): number[] => [
  ...group(3, 2, TYPE.i32, 1, TYPE.f64, ...unsigned(locals - LOCALS_FIRST), TYPE.i64),
  ...code,
  WASM.end,
]
