import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECP256K1_MODULE_BASE64 } from '../../../core/crypto/wasm/secp256k1Module.ts'
import { ROOT } from '../../structure/source.ts'

test('given the secp256k1 module of ox, when it is compared with the one here, then they are the same bytes', () => {
  const text = readFileSync(join(ROOT, 'node_modules/ox/dist/wasm/internal/secp256k1.wasm.js'), 'utf8')
  expect(/wasmBase64 = '([^']*)'/.exec(text)?.[1] === SECP256K1_MODULE_BASE64).toBe(true)
})
