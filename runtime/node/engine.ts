import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { loadWasmEngine } from '../../core/crypto/wasm.ts'
import { logOf } from '../logging/log.ts'

/** Puts the fast engine behind hashing and signatures; without WebAssembly the portable one stays, and the log says so. */
export const useFastEngine = async (): Promise<void> => {
  try {
    useCryptoEngine(await loadWasmEngine())
  } catch (error) {
    logOf('crypto').warn(
      'WebAssembly is not available, hashing and recovery will be several times slower: {error}',
      {
        error,
      },
    )
  }
}
