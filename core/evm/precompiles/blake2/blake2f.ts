import { javascriptBlake2Rounds } from './blake2Rounds.ts'
import { type Blake2Rounds, compileBlake2Rounds } from './blake2Wasm.ts'
import { runSteps, type Steps } from '../../../steps.ts'
import type { Precompile } from '../precompile.ts'

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

let compiled: Blake2Rounds | undefined

/** The fastest rounds, compiled at first use: most chains never call the precompile. */
const fastestRounds = (): Blake2Rounds => {
  compiled ??= compileBlake2Rounds() ?? javascriptBlake2Rounds
  return compiled
}

const roundsOf = (input: Uint8Array): number =>
  new DataView(input.buffer, input.byteOffset, input.byteLength).getUint32(0)

/** Rounds mixed between two yields: some milliseconds. A multiple of ten, the number of schedules. */
const ROUNDS_AT_ONCE = 20_000

/** Mixes so many rounds, in steps. Other calls may use the shared work vector between two steps. */
function* mixSteps({ vector, message, run }: Blake2Rounds, count: number): Steps<void> {
  for (let left = count; left > 0; left -= ROUNDS_AT_ONCE) {
    run(Math.min(left, ROUNDS_AT_ONCE))
    if (left <= ROUNDS_AT_ONCE) return
    const kept = [vector.slice(), message.slice()] as const
    yield
    vector.set(kept[0])
    message.set(kept[1])
  }
}

/** EIP-152: the next state, from rounds, state h, message m, offset counters t and the final flag. */
export const blake2fWith = (input: Uint8Array, rounds: Blake2Rounds): Uint8Array | undefined =>
  runSteps(blake2fSteps(input, rounds))

function* blake2fSteps(input: Uint8Array, rounds: Blake2Rounds): Steps<Uint8Array | undefined> {
  if (input.length !== INPUT_LENGTH) return undefined
  const final = input[212] as number
  if (final > 1) return undefined
  const { vector, message } = rounds
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength)
  for (let i = 0; i < 16; i++) vector[i] = view.getInt32(4 + 4 * i, true)
  for (let i = 0; i < 16; i++) vector[16 + i] = IV[i] as number
  for (let i = 0; i < 32; i++) message[i] = view.getInt32(68 + 4 * i, true)
  for (let i = 0; i < 4; i++) vector[24 + i] = (vector[24 + i] as number) ^ view.getInt32(196 + 4 * i, true)
  if (final === 1) {
    vector[28] = ~(vector[28] as number)
    vector[29] = ~(vector[29] as number)
  }
  yield* mixSteps(rounds, roundsOf(input))
  const output = new Uint8Array(64)
  const state = new DataView(output.buffer)
  for (let i = 0; i < 16; i++) {
    const mixed = (vector[i] as number) ^ (vector[16 + i] as number)
    state.setInt32(4 * i, view.getInt32(4 + 4 * i, true) ^ mixed, true)
  }
  return output
}

export const BLAKE2F: Precompile = {
  name: 'BLAKE2F',
  gas: input => (input.length === INPUT_LENGTH ? roundsOf(input) : 0),
  run: input => blake2fWith(input, fastestRounds()),
  steps: input => blake2fSteps(input, fastestRounds()),
}
