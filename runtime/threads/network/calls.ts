import { NetworkError } from '../../../p2p/error.ts'
import { errorOf, type PlainError } from './errors.ts'

/** Questions that wait for the thread: an operator's, few at a time. */
const CALLS_MAX = 1_024

type Waiting = { readonly resolve: (outcome: boolean) => void; readonly reject: (error: Error) => void }

export type Calls = {
  /** Asks the thread under a number of its own. @throws what failed there; NetworkError when too many wait */
  ask(post: (id: number) => void): Promise<boolean>
  answered(id: number, outcome: boolean | PlainError): void
  /** No answer comes any more. */
  fail(error: Error): void
}

/** Questions to the thread and their answers. */
export const createCalls = (): Calls => {
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  return {
    ask: post =>
      new Promise((resolve, reject) => {
        if (waiting.size >= CALLS_MAX) {
          reject(new NetworkError('TIMEOUT', `more than ${CALLS_MAX} peers wait to be added or removed`))
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
