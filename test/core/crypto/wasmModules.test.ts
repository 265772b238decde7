import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HASHES_MODULE_BASE64 } from '../../../core/crypto/wasm/hashesModule.ts'
import { SECP256K1_MODULE_BASE64 } from '../../../core/crypto/wasm/secp256k1Module.ts'
import { ROOT } from '../../structure/source.ts'

test.each([
  ['hashes', HASHES_MODULE_BASE64],
  ['secp256k1', SECP256K1_MODULE_BASE64],
])(
  'given the module %s of ox, when it is compared with the one here, then they are the same bytes',
  (name, base64) => {
    const text = readFileSync(join(ROOT, `node_modules/ox/dist/wasm/internal/${name}.wasm.js`), 'utf8')
    expect(/wasmBase64 = '([^']*)'/.exec(text)?.[1] === base64).toBe(true)
  },
)
