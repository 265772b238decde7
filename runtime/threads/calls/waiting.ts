import type { Call } from '../../../handlers/rpc/methods/method.ts'
import type { Outcome } from '../../../handlers/rpc/dispatch/envelope.ts'

/** Calls that may wait for a reader; more would time out before their turn. */
export const CALLS_WAITING_MAX = 1024

/** Characters of the parameters of all calls that wait. */
export const WAITING_LENGTH_MAX = 64 * 1024 * 1024

/** A call on its way. */
export type Job = {
  readonly method: string
  /** JSON. */
  readonly params: string
  readonly expired: Call['expired']
  /** When its time is over, wherever it is. */
  readonly untilMs: number
  /** Undefined where no thread could run it. */
  readonly settle: (outcome: Outcome | undefined) => void
}

/** Calls that wait, first come first served. */
export type Waiting = {
  /** False when there is no room for it. */
  add(job: Job): boolean
  take(): Job | undefined
  /** Takes those out for which it says so. */
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
    take: () => {
      const job = jobs.shift()
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
