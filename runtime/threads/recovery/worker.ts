import { loadFastestEngine } from '../../crypto/fastest.ts'
import { useWorkerEngine } from '../workerEngine.ts'
import { openWorkerPort } from '../workerPort.ts'
import { recoverEncoded } from './signatureBuffers.ts'

// The native addon as well: a recovery thread is terminated only when it is idle.
await useWorkerEngine(loadFastestEngine)
const { post } = openWorkerPort<Uint8Array>((encoded: Uint8Array) => {
  const answers = recoverEncoded(encoded)
  post(answers, [answers.buffer])
})
post('ready')
