import { SIGMA } from './blake2Sigma.ts'
import type { Blake2Rounds } from './blake2Wasm.ts'

/** Work vector and message block as 32-bit halves, low first. Shared by all calls, because the function is synchronous. */
const V = new Int32Array(32)
const M = new Int32Array(32)

/** The carry of the sum of the low halves: 1 when the sum is less than an addend. */
const carry = (sum: number, addend: number): number => (sum >>> 0 < addend >>> 0 ? 1 : 0)

/** RFC 7693 §3.1: mixes message words x and y into four words of V; indices count 32-bit halves. */
const mix = (a: number, b: number, c: number, d: number, x: number, y: number): void => {
  let al = V[a] as number
  let ah = V[a + 1] as number
  let bl = V[b] as number
  let bh = V[b + 1] as number
  let cl = V[c] as number
  let ch = V[c + 1] as number
  let dl = V[d] as number
  let dh = V[d + 1] as number
  let low = (al + bl) | 0
  ah = (ah + bh + carry(low, al)) | 0
  al = (low + (M[x] as number)) | 0
  ah = (ah + (M[x + 1] as number) + carry(al, low)) | 0
  // d = (d ^ a) >>> 32
  low = dl ^ al
  dl = dh ^ ah
  dh = low
  low = (cl + dl) | 0
  ch = (ch + dh + carry(low, cl)) | 0
  cl = low
  // b = (b ^ c) >>> 24
  low = bl ^ cl
  let high = bh ^ ch
  bl = (low >>> 24) | (high << 8)
  bh = (high >>> 24) | (low << 8)
  low = (al + bl) | 0
  ah = (ah + bh + carry(low, al)) | 0
  al = (low + (M[y] as number)) | 0
  ah = (ah + (M[y + 1] as number) + carry(al, low)) | 0
  // d = (d ^ a) >>> 16
  low = dl ^ al
  high = dh ^ ah
  dl = (low >>> 16) | (high << 16)
  dh = (high >>> 16) | (low << 16)
  low = (cl + dl) | 0
  ch = (ch + dh + carry(low, cl)) | 0
  cl = low
  // b = (b ^ c) >>> 63
  low = bl ^ cl
  high = bh ^ ch
  bl = (low << 1) | (high >>> 31)
  bh = (high << 1) | (low >>> 31)
  V[a] = al
  V[a + 1] = ah
  V[b] = bl
  V[b + 1] = bh
  V[c] = cl
  V[c + 1] = ch
  V[d] = dl
  V[d + 1] = dh
}

const round = (schedule: Uint8Array): void => {
  mix(0, 8, 16, 24, 2 * (schedule[0] as number), 2 * (schedule[1] as number))
  mix(2, 10, 18, 26, 2 * (schedule[2] as number), 2 * (schedule[3] as number))
  mix(4, 12, 20, 28, 2 * (schedule[4] as number), 2 * (schedule[5] as number))
  mix(6, 14, 22, 30, 2 * (schedule[6] as number), 2 * (schedule[7] as number))
  mix(0, 10, 20, 30, 2 * (schedule[8] as number), 2 * (schedule[9] as number))
  mix(2, 12, 22, 24, 2 * (schedule[10] as number), 2 * (schedule[11] as number))
  mix(4, 14, 16, 26, 2 * (schedule[12] as number), 2 * (schedule[13] as number))
  mix(6, 8, 18, 28, 2 * (schedule[14] as number), 2 * (schedule[15] as number))
}

/** BLAKE2b's rounds in JavaScript, for runtimes that do not compile WebAssembly. */
export const javascriptBlake2Rounds: Blake2Rounds = {
  vector: V,
  message: M,
  run: rounds => {
    for (let i = 0; i < rounds; i++) round(SIGMA[i % 10] as Uint8Array)
  },
}
