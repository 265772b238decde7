import { Worker } from 'node:worker_threads'

/** What is left to a thread that was told to end: it loads its engine and does what it was sent in a fraction of a second. */
const END_MS_MAX = 10_000

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
    // One that was told to end before it was ready was sent nothing, so it is idle; on Deno the word was lost, too.
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
      // It is ended once it is idle: in the native addon it would abort the process, on Bun and Node.
      worker.postMessage('end', [])
      const timer = setTimeout(idle.resolve, END_MS_MAX)
      await idle.promise
      clearTimeout(timer)
      await worker.terminate()
    },
  }
}
