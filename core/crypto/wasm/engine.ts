import type { CryptoEngine } from '../engine.ts'
import { loadHashes } from './hashes.ts'
import { loadSecp256k1 } from './secp256k1.ts'

/**
 * The fast engine: keccak and libsecp256k1 compiled to WebAssembly, several times as fast as noble.
 * Rejects where the runtime forbids compiling WebAssembly, as Cloudflare Workers do: the noble engine serves there.
 * @param seed 32 random bytes that blind computations with private keys
 */
export const loadWasmEngine = async (seed: Uint8Array): Promise<CryptoEngine> => {
  const [hashes, secp256k1] = await Promise.all([loadHashes(), loadSecp256k1(seed)])
  return { name: 'wasm', ...hashes, ...secp256k1 }
}
