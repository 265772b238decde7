import { parentPort } from 'node:worker_threads'
import { useCryptoEngine } from '../../../core/crypto/crypto.ts'
import { loadFastestEngine } from '../../crypto/fastest.ts'
import { recoverPacked } from './packed.ts'

const port = parentPort
if (port === null) throw new Error('runtime/threads/recovery/worker.ts runs on a worker thread only')

try {
  useCryptoEngine(await loadFastestEngine())
} catch {
  // Without WebAssembly the noble engine, which is the default, stays in use.
}

port.on('message', (packed: Uint8Array | 'end') => {
  if (packed === 'end') {
    port.postMessage('idle')
    return
  }
  const answers = recoverPacked(packed)
  port.postMessage(answers, [answers.buffer])
})
port.postMessage('ready')
