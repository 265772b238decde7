import { availableParallelism } from 'node:os'
import {
  type CheckPassword,
  COST_DEFAULT,
  bcryptCost,
  type PasswordJob,
} from '../../../handlers/auth/login/password.ts'
import { type PasswordThread, startPasswordThread } from './passwordThread.ts'

/** Threads by default: logins are rare. */
const THREADS = availableParallelism() < 4 ? 1 : 2

/** Maximum queued passwords: at Besu's bcrypt cost the last one waits two seconds. */
export const PASSWORDS_WAITING_MAX = 32

/** Maximum queued work in hashes of Besu's cost, so that a few expensive hashes cannot block logins. */
const WORK_WAITING_MAX = 64

/** The queue of passwords is full; the client should try again. */
class PasswordQueueFullError extends Error {
  override readonly name = 'PasswordQueueFullError'
  readonly code = 'PASSWORD_QUEUE_FULL'
  constructor() {
    super(`more than ${PASSWORDS_WAITING_MAX} passwords are queued; log in again later`)
  }
}

export type PasswordPool = { readonly check: CheckPassword; readonly close: () => Promise<void> }

type Entry = {
  readonly job: PasswordJob
  readonly resolve: (isMatch: boolean) => void
  readonly reject: (cause: unknown) => void
}

const workOf = ({ hash, failCost }: PasswordJob): number =>
  2 ** (Math.max(failCost, bcryptCost(hash) ?? 0) - COST_DEFAULT)

/** Checks passwords on worker threads, which start with the first login and are replaced when they die. */
export const createPasswordPool = (threadCount: number = THREADS): PasswordPool => {
  const queue: Entry[] = []
  const idle: PasswordThread[] = []
  const threads = new Set<PasswordThread>()
  let closed = false

  const start = (): PasswordThread => {
    const thread = startPasswordThread(() => {
      threads.delete(thread)
      const at = idle.indexOf(thread)
      if (at >= 0) idle.splice(at, 1)
    })
    threads.add(thread)
    return thread
  }

  const work = async (thread: PasswordThread, { job, resolve, reject }: Entry): Promise<void> => {
    try {
      resolve(await thread.check(job))
    } catch (cause) {
      reject(closed ? new PasswordQueueFullError() : cause)
    }
    if (closed) return
    if (threads.has(thread)) idle.push(thread)
    next()
  }

  const next = (): void => {
    for (let entry = queue[0]; entry !== undefined; entry = queue[0]) {
      const thread = idle.pop() ?? (threads.size < threadCount ? start() : undefined)
      if (thread === undefined) return
      queue.shift()
      void work(thread, entry)
    }
  }

  return {
    check: job =>
      new Promise((resolve, reject) => {
        const waiting = queue.reduce((sum, entry) => sum + workOf(entry.job), workOf(job))
        const isFull =
          queue.length >= PASSWORDS_WAITING_MAX || (queue.length > 0 && waiting > WORK_WAITING_MAX)
        if (closed || isFull) {
          reject(new PasswordQueueFullError())
          return
        }
        queue.push({ job, resolve, reject })
        next()
      }),
    close: async () => {
      closed = true
      for (const { reject } of queue.splice(0)) reject(new PasswordQueueFullError())
      await Promise.all([...threads].map(thread => thread.stop()))
    },
  }
}
