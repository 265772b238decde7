import type { CryptoEngine } from '../../core/crypto/engine.ts'
import { isRecoverable } from '../../core/crypto/engine.ts'

/** The used part of the addon; it writes to `output` and returns it. */
type Addon = {
  ecdsaRecover(
    signature: Uint8Array,
    recoveryId: number,
    hash: Uint8Array,
    isCompressed: boolean,
    output: Uint8Array,
  ): Uint8Array
}

/** A variable, so that no bundler resolves the optional addon. */
const ADDON: string = 'secp256k1/bindings.js'

const loadAddon = async (): Promise<Addon> => {
  const { default: addon } = (await import(ADDON)) as { readonly default: Addon }
  return addon
}

/**
 * Recovers public keys with libsecp256k1 as a native addon, twice as fast as WebAssembly, on Bun, Node and Deno. A node does
 * this once for each transaction and message. Everything else, above all private keys, stays with `base`. Rejects if the
 * addon is not built for the platform.
 */
export const loadNativeEngine = async (base: CryptoEngine): Promise<CryptoEngine> => {
  const addon = await loadAddon()
  const compact = new Uint8Array(64)
  const publicKey = new Uint8Array(65)
  return {
    ...base,
    name: `native, ${base.name}`,
    recoverPublicKey: (hash, signature) => {
      if (!isRecoverable(hash, signature)) return undefined
      compact.set(signature.r)
      compact.set(signature.s, 32)
      try {
        return addon.ecdsaRecover(compact, signature.yParity, hash, false, publicKey).slice(1)
      } catch {
        // The addon throws for a signature without a key.
        return undefined
      }
    },
  }
}
