import type { PasswordJob } from '../../../handlers/auth/login/password.ts'
import { startThread } from '../startThread.ts'

/** A worker thread that checks one password at a time. An idle one does not keep the process alive. */
export type PasswordThread = {
  /** @throws the error that ended the thread */
  readonly check: (job: PasswordJob) => Promise<boolean>
  readonly stop: () => Promise<void>
}

/** @param onEnd the thread could not start or has died; called at most once, and not after `stop`. */
export const startPasswordThread = (onEnd: () => void): PasswordThread => {
  let running: PromiseWithResolvers<boolean> | undefined
  let ended: { readonly cause: unknown } | undefined
  const end = (cause: unknown): void => {
    ended ??= { cause }
    running?.reject(cause)
  }
  const thread = startThread<PasswordJob, boolean>(
    'password thread',
    new URL('./passwordWorker.ts', import.meta.url),
    {
      onMessage: isMatch => {
        thread.unref()
        running?.resolve(isMatch)
      },
      onFailure: cause => {
        end(cause)
        onEnd()
      },
    },
  )
  return {
    check: async job => {
      if (ended !== undefined) throw ended.cause
      running = Promise.withResolvers<boolean>()
      thread.ref()
      thread.send(job)
      return running.promise
    },
    stop: () => {
      end(new Error('the node stops'))
      return thread.stop()
    },
  }
}
