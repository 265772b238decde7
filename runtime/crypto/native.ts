import type { CryptoEngine } from '../../core/crypto/engine.ts'
import { isRecoverable } from '../../core/crypto/engine.ts'

/** What of the addon is used; `output` is written to and given back. */
type Addon = {
  ecdsaRecover(
    signature: Uint8Array,
    recoveryId: number,
    hash: Uint8Array,
    isCompressed: boolean,
    output: Uint8Array,
  ): Uint8Array
}

/** Named so that nobody resolves it before it is asked for: the addon is built for few platforms, and optional. */
const ADDON: string = 'secp256k1/bindings.js'

const loadAddon = async (): Promise<Addon> => {
  const { default: addon } = (await import(ADDON)) as { readonly default: Addon }
  return addon
}

/**
 * Recovery by libsecp256k1 as a native addon, twice as fast as in WebAssembly, on Bun, Node and Deno: what a node does
 * once for each transaction and message. Everything else, private keys above all, stays with `base`. Rejects where the addon is not built for the platform.
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
        // It throws for every signature that belongs to no key; the seam says undefined.
        return undefined
      }
    },
  }
}
