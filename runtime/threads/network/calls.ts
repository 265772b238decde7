import { NetworkError } from '../../../p2p/error.ts'
import { errorOf, type PlainError } from './errors.ts'

/** Maximum pending calls to the network worker; operators make a few at a time. */
const CALLS_MAX = 1_024

type Waiting = { readonly resolve: (outcome: boolean) => void; readonly reject: (error: Error) => void }

export type Calls = {
  /** Posts a call with a new id and waits for its answer. @throws the worker's error; NetworkError if too many are pending */
  ask(post: (id: number) => void): Promise<boolean>
  answered(id: number, outcome: boolean | PlainError): void
  /** Rejects all pending calls: the worker has ended. */
  fail(error: Error): void
}

/** Matches calls to the network worker with their answers. */
export const createCalls = (): Calls => {
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  return {
    ask: post =>
      new Promise((resolve, reject) => {
        if (waiting.size >= CALLS_MAX) {
          reject(
            new NetworkError('TIMEOUT', `more than ${CALLS_MAX} requests to add or remove peers are pending`),
          )
          return
        }
        const id = nextId++
        waiting.set(id, { resolve, reject })
        post(id)
      }),
    answered: (id, outcome) => {
      const one = waiting.get(id)
      waiting.delete(id)
      if (typeof outcome === 'boolean') one?.resolve(outcome)
      else one?.reject(errorOf(outcome))
    },
    fail: error => {
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    },
  }
}
