import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromBase64 } from '../../core/crypto/wasm/instance.ts'
import { keccakModule } from '../../core/crypto/wasm/keccak/module.ts'
import { SECP256K1_MODULE_BASE64 } from '../../core/crypto/wasm/secp256k1Module.ts'

/**
 * Writes the WebAssembly modules as files into the folder `modules` of the folder given, that of the Worker's files: a Worker
 * takes them compiled at its deployment, and compiles none itself.
 */
export const writeModules = (workersFolder: string): void => {
  const folder = join(workersFolder, 'modules')
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of [
    ['hashes', keccakModule()],
    ['secp256k1', fromBase64(SECP256K1_MODULE_BASE64)],
  ] as const)
    writeFileSync(join(folder, `${name}.wasm`), bytes)
}

if (import.meta.main) writeModules(fileURLToPath(new URL('.', import.meta.url)))
