import type { CryptoEngine } from '../../../core/crypto/engine.ts'
import { nobleEngine } from '../../../core/crypto/noble.ts'
import { loadWasmEngine } from '../../../core/crypto/wasm/engine.ts'
import { loadFastestEngine } from '../../../runtime/crypto/fastest.ts'
import type { BenchOptions } from '../measure.ts'
import { microseconds } from './microseconds.ts'

const text = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0))

type Operation = { readonly name: string; readonly prepare: (engine: CryptoEngine) => () => unknown }

const KEY = new Uint8Array(32).fill(7)
const HASH = new Uint8Array(32).fill(9)

const OPERATIONS: readonly Operation[] = [
  {
    name: 'recover',
    prepare: engine => {
      const signature = engine.sign(HASH, KEY)
      return () => engine.recoverPublicKey(HASH, signature)
    },
  },
  { name: 'sign', prepare: engine => () => engine.sign(HASH, KEY) },
  ...[32, 128, 136, 1024].map(length => ({
    name: `keccak ${length} bytes`,
    prepare: (engine: CryptoEngine) => {
      const bytes = new Uint8Array(length).fill(3)
      return () => engine.keccak256(bytes)
    },
  })),
]

/** Recovery, signing and keccak by each engine, in microseconds, with the ratio of the reference to the fastest. */
export const benchCrypto = async ({ row }: BenchOptions): Promise<void> => {
  const wasmEngine = await loadWasmEngine(crypto.getRandomValues(new Uint8Array(32)))
  const fastestEngine = await loadFastestEngine()
  for (const { name, prepare } of OPERATIONS)
    await row(name, async () => {
      const noble = microseconds(prepare(nobleEngine))
      const wasm = microseconds(prepare(wasmEngine))
      const fastest = microseconds(prepare(fastestEngine))
      return {
        name,
        values: {
          'noble µs': text(noble),
          'wasm µs': text(wasm),
          [`${fastestEngine.name} µs`]: text(fastest),
          ratio: `${(noble / fastest).toFixed(1)}x`,
        },
      }
    })
}
