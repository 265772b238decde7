import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { loadWasmEngine } from '../../core/crypto/wasm/engine.ts'
import { simulationEngine } from './cryptoEngine.ts'
import { type Result, run } from './run.ts'
import type { Settings } from './settings.ts'

export type Run = (settings: Settings, tell?: (line: string) => void) => Result

/** Runs each seed with the engine that it asks for; leaves the engine that was used last. */
export const loadRun = async (): Promise<Run> => {
  const real = await loadWasmEngine(crypto.getRandomValues(new Uint8Array(32)))
  const simulation = simulationEngine(real.keccak256)
  return (settings, tell) => {
    useCryptoEngine(settings.realCrypto ? real : simulation)
    return run(settings, tell)
  }
}
