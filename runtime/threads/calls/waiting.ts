import type { Call } from '../../../handlers/rpc/method.ts'
import type { Outcome } from '../../../handlers/rpc/dispatch/envelope.ts'

/** Maximum queued calls; more would time out before a worker is free. */
export const CALLS_WAITING_MAX = 1024

/** Maximum total characters of the parameters of queued calls. */
export const WAITING_LENGTH_MAX = 64 * 1024 * 1024

/** A queued or running call. */
export type Job = {
  readonly method: string
  /** JSON. */
  readonly params: string
  readonly expired: Call['expired']
  /** Deadline, queued or running. */
  readonly untilMs: number
  /** Called with undefined if no worker could run it. */
  readonly settle: (outcome: Outcome | undefined) => void
}

/** First-in, first-out queue of calls. */
export type Waiting = {
  /** Returns false if the queue is full. */
  add(job: Job): boolean
  /** The first call that may run now. */
  take(mayRun: (job: Job) => boolean): Job | undefined
  /** Removes and returns the calls that match. */
  remove(which: (job: Job) => boolean): readonly Job[]
  readonly size: number
}

export const createWaiting = (): Waiting => {
  let jobs: Job[] = []
  let length = 0
  return {
    add: job => {
      if (jobs.length >= CALLS_WAITING_MAX || length + job.params.length > WAITING_LENGTH_MAX) return false
      jobs.push(job)
      length += job.params.length
      return true
    },
    take: mayRun => {
      const index = jobs.findIndex(mayRun)
      const [job] = index < 0 ? [] : jobs.splice(index, 1)
      if (job !== undefined) length -= job.params.length
      return job
    },
    remove: which => {
      const removed = jobs.filter(which)
      if (removed.length === 0) return removed
      jobs = jobs.filter(job => !removed.includes(job))
      for (const job of removed) length -= job.params.length
      return removed
    },
    get size() {
      return jobs.length
    },
  }
}
