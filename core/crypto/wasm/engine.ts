import type { CryptoEngine } from '../engine.ts'
import { createWasmEngine } from './compiledEngine.ts'
import { fromBase64 } from './instance.ts'
import { keccakModule } from './keccak/module.ts'
import { SECP256K1_MODULE_BASE64 } from './secp256k1Module.ts'

/**
 * The fast engine: keccak and libsecp256k1 in WebAssembly, several times as fast as noble. Rejects where the
 * runtime forbids compiling WebAssembly, as Cloudflare Workers do; use compiledEngine.ts there.
 * @param seed 32 random bytes that blind computations with private keys
 */
export const loadWasmEngine = async (seed: Uint8Array): Promise<CryptoEngine> => {
  const [hashes, secp256k1] = await Promise.all([
    WebAssembly.compile(keccakModule()),
    WebAssembly.compile(fromBase64(SECP256K1_MODULE_BASE64)),
  ])
  return createWasmEngine({ hashes, secp256k1 }, seed)
}
