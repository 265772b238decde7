import type { TransactionsResult } from '../../../p2p/network.ts'

/** Maximum messages that wait for their result: as many as transactions may wait on the main thread. */
const PENDING_MAX = 16_384

/** A message that is not handed over. */
export const NOT_TAKEN: TransactionsResult = { isForwarded: false, held: [] }

export type ValidationResults = {
  /** Posts a message with a new id and waits for its result; refuses it at once, without posting it, if too many wait. */
  request(post: (id: number) => void): TransactionsResult | Promise<TransactionsResult>
  received(id: number, result: TransactionsResult): void
}

/** Matches messages of transactions with the results of the main thread. */
export const createValidationResults = (): ValidationResults => {
  const pending = new Map<number, (result: TransactionsResult) => void>()
  let nextId = 0
  return {
    request: post => {
      if (pending.size >= PENDING_MAX) return NOT_TAKEN
      const id = nextId++
      return new Promise(resolve => {
        pending.set(id, resolve)
        post(id)
      })
    },
    received: (id, result) => {
      pending.get(id)?.(result)
      pending.delete(id)
    },
  }
}
