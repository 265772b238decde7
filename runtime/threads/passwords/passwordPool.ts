import { availableParallelism } from 'node:os'
import {
  type CheckPassword,
  COST_DEFAULT,
  bcryptCost,
  type PasswordJob,
} from '../../../handlers/auth/login/password.ts'
import { createPasswordQueue, type Waiting } from './passwordQueue.ts'
import { type PasswordThread, startPasswordThread } from './passwordThread.ts'

/** Threads by default: logins are rare. */
const THREADS = availableParallelism() < 4 ? 1 : 2

/** The password lost its place in the queue to others; the client should try again. */
class PasswordQueueFullError extends Error {
  override readonly name = 'PasswordQueueFullError'
  readonly code = 'PASSWORD_QUEUE_FULL'
  constructor() {
    super('too many passwords are queued; log in again later')
  }
}

export type PasswordPool = { readonly check: CheckPassword; readonly close: () => Promise<void> }

type Entry = Waiting & {
  readonly job: PasswordJob
  readonly resolve: (isMatch: boolean) => void
  readonly reject: (cause: unknown) => void
}

const workOf = ({ hash, failCost }: PasswordJob): number =>
  2 ** (Math.max(failCost, bcryptCost(hash) ?? 0) - COST_DEFAULT)

/** Checks passwords on worker threads, which start with the first login and are replaced when they die. */
export const createPasswordPool = (threadCount: number = THREADS): PasswordPool => {
  const queue = createPasswordQueue<Entry>()
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

  const work = async ({ job, resolve, reject }: Entry): Promise<void> => {
    let thread: PasswordThread | undefined
    try {
      thread = idle.pop() ?? start()
      resolve(await thread.check(job))
    } catch (cause) {
      reject(closed ? new PasswordQueueFullError() : cause)
    }
    if (closed) return
    if (thread !== undefined && threads.has(thread)) idle.push(thread)
    next()
  }

  const next = (): void => {
    while (idle.length > 0 || threads.size < threadCount) {
      const entry = queue.next()
      if (entry === undefined) return
      void work(entry)
    }
  }
  const refuse = (entries: readonly Entry[]): void => {
    for (const { reject } of entries) reject(new PasswordQueueFullError())
  }

  return {
    check: (job, client) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new PasswordQueueFullError())
          return
        }
        refuse(queue.add({ job, client, work: workOf(job), resolve, reject }))
        next()
      }),
    close: async () => {
      closed = true
      refuse(queue.clear())
      await Promise.all([...threads].map(thread => thread.stop()))
    },
  }
}
