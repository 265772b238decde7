import type { CryptoEngine } from '../engine.ts'
import { createHashes } from './hashes.ts'
import { createSecp256k1 } from './secp256k1.ts'

/** The two modules of the fast engine, compiled. */
export type EngineModules = { readonly hashes: WebAssembly.Module; readonly secp256k1: WebAssembly.Module }

/**
 * The fast engine from compiled modules, for runtimes that load compiled modules from files and forbid compiling.
 * @param seed 32 random bytes that blind computations with private keys
 */
export const createWasmEngine = ({ hashes, secp256k1 }: EngineModules, seed: Uint8Array): CryptoEngine => ({
  name: 'wasm',
  ...createHashes(hashes),
  ...createSecp256k1(secp256k1, seed),
})
