import { Worker } from 'node:worker_threads'

/** One thread that recovers packed signatures, one chunk at a time. */
export type WorkerThread = {
  /** Sends a chunk; its memory moves to the thread. The process stays alive until the answer is here. */
  readonly send: (packed: Uint8Array<ArrayBuffer>) => void
  /** Nothing is under way: the thread no longer keeps the process alive. */
  readonly rest: () => void
  readonly stop: () => Promise<void>
}

export type WorkerThreadEvents = {
  readonly onReady: () => void
  readonly onAnswers: (answers: Uint8Array) => void
  /** The thread could not start or has died; nothing more comes from it. Called at most once. */
  readonly onFailure: (cause: unknown) => void
}

/** Starts a thread, which by itself never keeps the process alive. */
export const startWorkerThread = (events: WorkerThreadEvents): WorkerThread => {
  let ended = false
  const fail = (cause: unknown): void => {
    if (ended) return
    ended = true
    events.onFailure(cause)
  }
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  worker.on('message', (message: Uint8Array | 'ready') => {
    if (ended) return
    if (message === 'ready') events.onReady()
    else events.onAnswers(message)
  })
  worker.on('error', fail)
  worker.on('messageerror', fail)
  worker.on('exit', code => fail(new Error(`the recovery thread ended with code ${code}`)))
  worker.unref()
  return {
    send: packed => {
      worker.ref()
      worker.postMessage(packed, [packed.buffer])
    },
    rest: () => worker.unref(),
    stop: async () => {
      ended = true
      await worker.terminate()
    },
  }
}
