import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { useTableSeed } from '../../core/state/hash.ts'
import { loadFastestEngine } from '../crypto/fastest.ts'
import { logOf } from '../logging/log.ts'

/** Puts the fast engine behind hashing and signatures; without WebAssembly the portable one stays, and the log says so. */
export const useFastEngine = async (): Promise<void> => {
  // Unpredictable places in the state's tables, so that nobody can prepare keys that all collide.
  useTableSeed(crypto.getRandomValues(new Int32Array(1))[0] as number)
  try {
    useCryptoEngine(await loadFastestEngine())
  } catch (error) {
    logOf('crypto').warn(
      'WebAssembly is not available, hashing and recovery will be several times slower: {error}',
      {
        error,
      },
    )
  }
}
