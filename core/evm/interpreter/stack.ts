import { compileMultiply } from '../words/multiplyWasm.ts'
import { limbOf } from '../../state/limbs.ts'
import { SHARED_STACK_ITEMS } from '../../genesis/evmLimits.ts'

/** Bytes of one item in both forms: eight limbs and a double. */
const ITEM_BYTES = 40

/** Items above the top that operations may use as scratch. */
export const SCRATCH_ITEMS = 8

/**
 * The stack of all call frames, one above the other, allocated once; very deep frames are spilled (stackSpill.ts). An item
 * below 2^53 is a number in `numbers`; any other item has NaN there and eight 32-bit limbs, least significant first, in
 * `limbs`. The form is canonical: NaN means 2^53 or more. Most words in real contracts are small, and the result of
 * arithmetic on numbers (NaN, or out of range) shows when limbs are needed.
 */
const ITEMS = SHARED_STACK_ITEMS + SCRATCH_ITEMS
const native = compileMultiply(ITEMS * ITEM_BYTES)
const buffer = native?.memory.buffer ?? new ArrayBuffer(ITEMS * ITEM_BYTES)

export const limbs = new Int32Array(buffer, 0, 8 * ITEMS)
export const numbers = new Float64Array(buffer, 32 * ITEMS, ITEMS)

/** The memory of the stack; undefined where the runtime forbids compiling WebAssembly. */
export const stackMemory = native?.memory
/** Offset of `numbers` in it, in bytes. */
export const NUMBERS_AT = 32 * ITEMS

/** Multiplies items by the byte offsets of their limbs; undefined where the runtime forbids compiling WebAssembly. */
export const nativeMultiply = native?.multiply

const NUMBER_MAX = BigInt(Number.MAX_SAFE_INTEGER)
const TWO_32 = 4294967296
const TWO_31 = 2147483648
/** A word of two limbs is below 2^53, and an item in `numbers`, when its high limb is below this. */
export const HIGH_LIMB_MAX = 2097152

/** Low limb of a number below 2^53. The comparison avoids JavaScriptCore's slow conversion of large doubles. */
export const lowOf = (n: number): number => {
  const low = n - Math.floor(n / TWO_32) * TWO_32
  return low >= TWO_31 ? (low - TWO_32) | 0 : low | 0
}

export const highOf = (n: number): number => (n / TWO_32) | 0

/** Makes the limbs of an item valid, whichever form it has; does not change `numbers`. */
export const ensureLimbs = (i: number): void => {
  const n = numbers[i]!
  if (n !== n) return
  const at = i << 3
  limbs[at] = lowOf(n)
  limbs[at + 1] = highOf(n)
  limbs[at + 2] = 0
  limbs[at + 3] = 0
  limbs[at + 4] = 0
  limbs[at + 5] = 0
  limbs[at + 6] = 0
  limbs[at + 7] = 0
}

/** Brings an item whose limbs were just written to its canonical form. */
export const canonicalize = (i: number): void => {
  const at = i << 3
  const high = limbs[at + 1]! >>> 0
  if (
    (limbs[at + 2]! | limbs[at + 3]! | limbs[at + 4]! | limbs[at + 5]! | limbs[at + 6]! | limbs[at + 7]!) ===
      0 &&
    high < HIGH_LIMB_MAX
  )
    numbers[i] = high * TWO_32 + (limbs[at]! >>> 0)
  else numbers[i] = Number.NaN
}

/** Sets an item to the word with these limbs. */
export const putLimbs = (
  i: number,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  k4: number,
  k5: number,
  k6: number,
  k7: number,
): void => {
  if ((k2 | k3 | k4 | k5 | k6 | k7) === 0 && k1 >>> 0 < HIGH_LIMB_MAX) {
    numbers[i] = k1 * TWO_32 + (k0 >>> 0)
    return
  }
  const at = i << 3
  numbers[i] = Number.NaN
  limbs[at] = k0
  limbs[at + 1] = k1
  limbs[at + 2] = k2
  limbs[at + 3] = k3
  limbs[at + 4] = k4
  limbs[at + 5] = k5
  limbs[at + 6] = k6
  limbs[at + 7] = k7
}

/** Sets an item to the word at `at` of another array of limbs. */
export const putWord = (i: number, from: Int32Array, at: number): void =>
  putLimbs(
    i,
    from[at]!,
    from[at + 1]!,
    from[at + 2]!,
    from[at + 3]!,
    from[at + 4]!,
    from[at + 5]!,
    from[at + 6]!,
    from[at + 7]!,
  )

export const copyItem = (from: number, to: number): void => {
  const n = numbers[from]!
  numbers[to] = n
  if (n === n) return
  const at = from << 3
  const toAt = to << 3
  limbs[toAt] = limbs[at]!
  limbs[toAt + 1] = limbs[at + 1]!
  limbs[toAt + 2] = limbs[at + 2]!
  limbs[toAt + 3] = limbs[at + 3]!
  limbs[toAt + 4] = limbs[at + 4]!
  limbs[toAt + 5] = limbs[at + 5]!
  limbs[toAt + 6] = limbs[at + 6]!
  limbs[toAt + 7] = limbs[at + 7]!
}

/** Swaps the limbs of two items; the caller swaps their numbers. */
export const swapLimbs = (i: number, j: number): void => {
  for (let a = i << 3, b = j << 3, end = a + 8; a < end; a++, b++) {
    const limb = limbs[a]!
    limbs[a] = limbs[b]!
    limbs[b] = limb
  }
}

/** Sets an item to the word of 32 big-endian bytes. */
export const putBytes32 = (i: number, bytes: Uint8Array): void =>
  putLimbs(
    i,
    limbOf(bytes, 28),
    limbOf(bytes, 24),
    limbOf(bytes, 20),
    limbOf(bytes, 16),
    limbOf(bytes, 12),
    limbOf(bytes, 8),
    limbOf(bytes, 4),
    limbOf(bytes, 0),
  )

/** Writes the limbs of an unsigned integer below 2^256. */
export const writeBigint = (words: Int32Array, at: number, value: bigint): void => {
  words.fill(0, at, at + 8)
  if (value <= NUMBER_MAX) {
    const n = Number(value)
    words[at] = lowOf(n)
    words[at + 1] = highOf(n)
    return
  }
  let rest = value
  for (let i = 0; i < 8; i++) {
    words[at + i] = Number(BigInt.asIntN(32, rest))
    rest >>= 32n
  }
}

/** Sets an item to an unsigned integer below 2^256. */
export const putBigint = (i: number, value: bigint): void => {
  writeBigint(limbs, i << 3, value)
  canonicalize(i)
}

export const bigintAt = (i: number): bigint => {
  const n = numbers[i]!
  if (n === n) return BigInt(n)
  let value = 0n
  for (let at = (i << 3) + 6; at >= i << 3; at -= 2)
    value = (value << 64n) | (BigInt(limbs[at + 1]! >>> 0) << 32n) | BigInt(limbs[at]! >>> 0)
  return value
}

/** The item as 32 big-endian bytes. */
export const bytes32At = (i: number): Uint8Array => {
  ensureLimbs(i)
  const bytes = new Uint8Array(32)
  for (let k = 0, at = (i << 3) + 7; k < 32; k += 4, at--) {
    const limb = limbs[at]!
    bytes[k] = limb >>> 24
    bytes[k + 1] = limb >>> 16
    bytes[k + 2] = limb >>> 8
    bytes[k + 3] = limb
  }
  return bytes
}
