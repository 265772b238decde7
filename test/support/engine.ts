import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { loadFastestEngine } from '../../runtime/crypto/fastest.ts'

/** What tests begin with, as a node does: signatures are most of what they would wait for. */
export const testEngine = await loadFastestEngine()

useCryptoEngine(testEngine)
