import type { Precompile } from './precompile.ts'

const INPUT_LENGTH = 213

/** BLAKE2b's initialization vector as little-endian 32-bit halves (RFC 7693 §2.6). */
const IV = Uint32Array.of(
  0xf3bcc908,
  0x6a09e667,
  0x84caa73b,
  0xbb67ae85,
  0xfe94f82b,
  0x3c6ef372,
  0x5f1d36f1,
  0xa54ff53a,
  0xade682d1,
  0x510e527f,
  0x2b3e6c1f,
  0x9b05688c,
  0xfb41bd6b,
  0x1f83d9ab,
  0x137e2179,
  0x5be0cd19,
)

/** RFC 7693 §2.7: the message words of each of the ten rounds. */
const SIGMA: readonly Uint8Array[] = [
  Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
  Uint8Array.of(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
  Uint8Array.of(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
  Uint8Array.of(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
  Uint8Array.of(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
  Uint8Array.of(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
  Uint8Array.of(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
  Uint8Array.of(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
  Uint8Array.of(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
  Uint8Array.of(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
]

/** Work vector and message block as 32-bit halves, low first; the function is synchronous, so one of each serves. */
const V = new Int32Array(32)
const M = new Int32Array(32)

/** The carry of the low halves' sum: 1 when adding gave less than an addend. */
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

const roundsOf = (input: Uint8Array): number =>
  new DataView(input.buffer, input.byteOffset, input.byteLength).getUint32(0)

/** EIP-152: rounds, state h, message m, offset counters t and the final flag give the next state. */
export const BLAKE2F: Precompile = {
  name: 'BLAKE2F',
  gas: input => (input.length === INPUT_LENGTH ? roundsOf(input) : 0),
  run: input => {
    if (input.length !== INPUT_LENGTH) return undefined
    const final = input[212] as number
    if (final > 1) return undefined
    const view = new DataView(input.buffer, input.byteOffset, input.byteLength)
    for (let i = 0; i < 16; i++) V[i] = view.getInt32(4 + 4 * i, true)
    for (let i = 0; i < 16; i++) V[16 + i] = IV[i] as number
    for (let i = 0; i < 32; i++) M[i] = view.getInt32(68 + 4 * i, true)
    for (let i = 0; i < 4; i++) V[24 + i] = (V[24 + i] as number) ^ view.getInt32(196 + 4 * i, true)
    if (final === 1) {
      V[28] = ~(V[28] as number)
      V[29] = ~(V[29] as number)
    }
    const rounds = view.getUint32(0)
    for (let i = 0; i < rounds; i++) round(SIGMA[i % 10] as Uint8Array)
    const output = new Uint8Array(64)
    const state = new DataView(output.buffer)
    for (let i = 0; i < 16; i++) {
      state.setInt32(4 * i, view.getInt32(4 + 4 * i, true) ^ (V[i] as number) ^ (V[16 + i] as number), true)
    }
    return output
  },
}
