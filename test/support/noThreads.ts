import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'

/** For `node --import`: a runtime that has no worker threads. */
threads.Worker = class {
  constructor() {
    throw new Error('there are no worker threads here')
  }
} as unknown as typeof threads.Worker
syncBuiltinESMExports()
