import { Worker } from 'node:worker_threads'
import type { PasswordJob } from '../../../handlers/auth/password.ts'

/** A worker thread that checks one password at a time. An idle one does not keep the process alive. */
export type PasswordThread = {
  /** @throws the error that ended the thread */
  readonly check: (job: PasswordJob) => Promise<boolean>
  readonly stop: () => Promise<void>
}

type Waiting = { readonly resolve: (isRight: boolean) => void; readonly reject: (cause: unknown) => void }

/** @param onEnd the thread could not start or has died; called at most once, and not after `stop`. */
export const startPasswordThread = (onEnd: () => void): PasswordThread => {
  const worker = new Worker(new URL('./passwordWorker.ts', import.meta.url))
  let waiting: Waiting | undefined
  let ended: { readonly cause: unknown } | undefined

  const end = (cause: unknown): void => {
    if (ended !== undefined) return
    ended = { cause }
    waiting?.reject(cause)
    waiting = undefined
    onEnd()
  }

  worker.on('message', (message: boolean | 'ready') => {
    if (message === 'ready') return
    worker.unref()
    waiting?.resolve(message)
    waiting = undefined
  })
  worker.on('error', end)
  worker.on('messageerror', end)
  worker.on('exit', code => end(new Error(`the password thread ended with code ${code}`)))
  worker.unref()

  return {
    check: job =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) {
          reject(ended.cause)
          return
        }
        waiting = { resolve, reject }
        worker.ref()
        worker.postMessage(job, [])
      }),
    stop: async () => {
      ended ??= { cause: new Error('the node stops') }
      waiting?.reject(ended.cause)
      waiting = undefined
      await worker.terminate()
    },
  }
}
