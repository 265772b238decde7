import { Worker } from 'node:worker_threads'

/** Timeout for a stopping thread to load its engine and finish its chunks, which takes a fraction of a second. */
const END_MS_MAX = 10_000

/** A worker thread that recovers packed signatures, one chunk at a time. */
export type WorkerThread = {
  /** Sends a chunk and transfers its memory. The process stays alive until the answer arrives. */
  readonly send: (packed: Uint8Array<ArrayBuffer>) => void
  /** Lets the process exit while the thread is idle. */
  readonly rest: () => void
  readonly stop: () => Promise<void>
}

export type WorkerThreadEvents = {
  readonly onReady: () => void
  readonly onAnswers: (answers: Uint8Array) => void
  /** The thread could not start or has died; no event follows. Called at most once. */
  readonly onFailure: (cause: unknown) => void
}

/** Starts a recovery thread. An idle one does not keep the process alive. */
export const startWorkerThread = (events: WorkerThreadEvents): WorkerThread => {
  let ended = false
  const idle = Promise.withResolvers<void>()
  const fail = (cause: unknown): void => {
    if (ended) return
    ended = true
    events.onFailure(cause)
  }
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  worker.on('message', (message: Uint8Array | 'ready' | 'idle') => {
    if (typeof message !== 'string') {
      if (!ended) events.onAnswers(message)
      return
    }
    // A thread stopped before it was ready is idle; Deno loses an 'end' sent before that.
    if (ended) idle.resolve()
    else events.onReady()
  })
  worker.on('error', fail)
  worker.on('messageerror', fail)
  worker.on('exit', code => {
    idle.resolve()
    fail(new Error(`the recovery thread ended with code ${code}`))
  })
  worker.unref()
  return {
    send: packed => {
      worker.ref()
      worker.postMessage(packed, [packed.buffer])
    },
    rest: () => worker.unref(),
    stop: async () => {
      if (ended) return
      ended = true
      // Terminate it only when idle: inside the native addon that would abort the process on Bun and Node.
      worker.postMessage('end', [])
      const timer = setTimeout(idle.resolve, END_MS_MAX)
      await idle.promise
      clearTimeout(timer)
      await worker.terminate()
    },
  }
}
