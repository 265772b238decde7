import { describe, expect, test } from 'bun:test'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { javascriptBlake2Rounds } from '../../../../core/evm/precompiles/blake2/blake2Rounds.ts'
import { type Blake2Rounds, compileBlake2Rounds } from '../../../../core/evm/precompiles/blake2/blake2Wasm.ts'
import { blake2fWith } from '../../../../core/evm/precompiles/blake2/blake2f.ts'
import { seededRandom } from '../../../support/random.ts'

const input = (rounds: number, rest: Uint8Array, final: number): Uint8Array => {
  const bytes = new Uint8Array(213)
  new DataView(bytes.buffer).setUint32(0, rounds)
  bytes.set(rest, 4)
  bytes[212] = final
  return bytes
}

/** EIP-152, test vectors 4 to 7: the state and block of RFC 7693's "abc". */
const ABC = fromHex(
  `48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b` +
    `${'616263'.padEnd(256, '0')}${'03'.padEnd(32, '0')}`,
)
const VECTORS = [
  [
    0,
    1,
    '08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
  ],
  [
    12,
    1,
    'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
  ],
  [
    12,
    0,
    '75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
  ],
  [
    1,
    1,
    'b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fba551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421',
  ],
] as const

describe('given the BLAKE2b rounds in JavaScript and in WebAssembly', () => {
  const compiled = compileBlake2Rounds() as Blake2Rounds

  test('when EIP-152’s vectors run, then both give their results', () => {
    for (const [rounds, final, expected] of VECTORS)
      for (const engine of [javascriptBlake2Rounds, compiled])
        expect(toHex(blake2fWith(input(rounds, ABC, final), engine) as Uint8Array)).toBe(`0x${expected}`)
  })

  test('when random states run up to 25 rounds, then both give the same', () => {
    const random = seededRandom(152)
    for (let rounds = 0; rounds <= 25; rounds++) {
      const rest = random.bytes(208)
      const given = input(rounds, rest, rounds % 2)
      expect(blake2fWith(given, compiled)).toEqual(blake2fWith(given, javascriptBlake2Rounds) as Uint8Array)
    }
  })
})
