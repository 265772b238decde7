import { NetworkError } from '../../../p2p/error.ts'
import { errorOf, type PlainError } from './errors.ts'

/** Maximum pending calls to the network worker; operators make a few at a time. */
const CALLS_MAX = 1_024

type Pending = { readonly resolve: (outcome: boolean) => void; readonly reject: (error: Error) => void }

export type Calls = {
  /** Posts a call with a new id and waits for its answer. @throws the worker's error; NetworkError if too many are pending */
  request(post: (id: number) => void): Promise<boolean>
  answered(id: number, outcome: boolean | PlainError): void
  /** Rejects all pending calls: the worker has ended. */
  fail(error: Error): void
}

/** Matches calls to the network worker with their answers. */
export const createCalls = (): Calls => {
  const pending = new Map<number, Pending>()
  let nextId = 0
  return {
    request: post =>
      new Promise((resolve, reject) => {
        if (pending.size >= CALLS_MAX) {
          reject(
            new NetworkError('TIMEOUT', `more than ${CALLS_MAX} requests to add or remove peers are pending`),
          )
          return
        }
        const id = nextId++
        pending.set(id, { resolve, reject })
        post(id)
      }),
    answered: (id, outcome) => {
      const call = pending.get(id)
      pending.delete(id)
      if (typeof outcome === 'boolean') call?.resolve(outcome)
      else call?.reject(errorOf(outcome))
    },
    fail: error => {
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    },
  }
}
