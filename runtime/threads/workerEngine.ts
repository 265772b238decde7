import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import type { CryptoEngine } from '../../core/crypto/engine.ts'
import { loadWasmEngine } from '../../core/crypto/wasm/engine.ts'

/** Not the native addon: terminating a thread inside it aborts the process on Bun and Node. */
const loadTerminableEngine = (): Promise<CryptoEngine> =>
  loadWasmEngine(crypto.getRandomValues(new Uint8Array(32)))

/** Loads the cryptography of a worker. */
export const useWorkerEngine = async (load = loadTerminableEngine): Promise<void> => {
  try {
    useCryptoEngine(await load())
  } catch {
    // Without WebAssembly the portable engine, which is the default, stays in use.
  }
}
