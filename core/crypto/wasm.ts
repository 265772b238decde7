import * as OxHash from 'ox/wasm/Hash'
import * as OxSecp256k1 from 'ox/wasm/Secp256k1'
import { type CryptoEngine, isRecoverable } from './engine.ts'

const SIGN_OPTIONS = { prehash: false, extraEntropy: false } as const

/**
 * The fast engine: keccak and libsecp256k1 compiled to WebAssembly (`ox/wasm`), several times as fast as noble.
 * Rejects where the runtime forbids compiling WebAssembly, as Cloudflare Workers do: the noble engine serves there.
 */
export const loadWasmEngine = async (): Promise<CryptoEngine> => {
  const [hashes, secp256k1] = await Promise.all([OxHash.engine(), OxSecp256k1.engine()])
  return {
    name: 'wasm',
    keccak256: hashes.keccak256,
    createKeccak256: () => {
      const state = hashes.createKeccak256()
      return {
        update: bytes => state.update(bytes),
        digest: () => {
          const hash = new Uint8Array(32)
          state.digestInto(hash)
          return hash
        },
      }
    },
    sign: (hash, privateKey) => {
      const bytes = secp256k1.sign(hash, privateKey, SIGN_OPTIONS)
      return { r: bytes.slice(1, 33), s: bytes.slice(33, 65), yParity: bytes[0] as number }
    },
    recoverPublicKey: (hash, signature) => {
      if (!isRecoverable(hash, signature)) return undefined
      const bytes = new Uint8Array(65)
      bytes[0] = signature.yParity
      bytes.set(signature.r, 1)
      bytes.set(signature.s, 33)
      try {
        return secp256k1.recoverPublicKey(bytes, hash).slice(1)
      } catch {
        // It throws for every signature that belongs to no key; the seam says undefined.
        return undefined
      }
    },
    publicKey: privateKey => secp256k1.getPublicKey(privateKey).slice(1),
  }
}
