import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'

/** For `node --import`: a runtime that has no worker threads. */
const noWorker = function (): never {
  throw new Error('there are no worker threads here')
}
threads.Worker = noWorker as unknown as typeof threads.Worker
syncBuiltinESMExports()
