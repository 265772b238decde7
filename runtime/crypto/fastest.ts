import type { CryptoEngine } from '../../core/crypto/engine.ts'
import { loadWasmEngine } from '../../core/crypto/wasm/engine.ts'
import { loadNativeEngine } from './native.ts'

/** The fastest engine there is on this machine. Rejects where not even WebAssembly can be compiled. */
export const loadFastestEngine = async (): Promise<CryptoEngine> => {
  const wasm = await loadWasmEngine(crypto.getRandomValues(new Uint8Array(32)))
  try {
    return await loadNativeEngine(wasm)
  } catch {
    // Not installed, or not built for this platform: it is optional.
    return wasm
  }
}
