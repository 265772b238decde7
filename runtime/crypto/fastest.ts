import type { CryptoEngine } from '../../core/crypto/engine.ts'
import { loadWasmEngine } from '../../core/crypto/wasm/engine.ts'
import { loadNativeEngine } from './native.ts'

/** Loads the fastest engine of this machine. Rejects without WebAssembly. */
export const loadFastestEngine = async (): Promise<CryptoEngine> => {
  const wasm = await loadWasmEngine(crypto.getRandomValues(new Uint8Array(32)))
  try {
    return await loadNativeEngine(wasm)
  } catch {
    // The optional addon is not installed, or not built for this platform.
    return wasm
  }
}
