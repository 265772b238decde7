import { useCryptoEngine } from '../../../core/crypto/crypto.ts'
import { useTableSeed } from '../../../core/state/hash.ts'
import { loadFastestEngine } from '../../crypto/fastest.ts'
import { logOf } from '../../logging/log.ts'

/** Selects the fastest engine for hashes and signatures. Logs a warning and keeps the portable one without WebAssembly. */
export const useFastEngine = async (): Promise<void> => {
  // An unpredictable seed for the hash tables of the state, so that nobody can choose keys that all collide.
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
