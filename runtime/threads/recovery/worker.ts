import { loadFastestEngine } from '../../crypto/fastest.ts'
import { useWorkerEngine } from '../workerEngine.ts'
import { openWorkerPort } from '../workerPort.ts'
import { recoverPacked } from './signatureBuffers.ts'

// The native addon as well: a recovery thread is terminated only when it is idle.
await useWorkerEngine(loadFastestEngine)
const { post } = openWorkerPort<Uint8Array>((packed: Uint8Array) => {
  const answers = recoverPacked(packed)
  post(answers, [answers.buffer])
})
post('ready')
