/** Maximum messages that wait for their result: as many as transactions may wait on the main thread. */
const PENDING_MAX = 16_384

export type ValidationResults = {
  /** Posts a message with a new id and waits for its result; false at once, without posting it, if too many wait. */
  request(post: (id: number) => void): boolean | Promise<boolean>
  received(id: number, isForwarded: boolean): void
}

/** Matches messages of transactions with the results of the main thread: whether each is forwarded to other peers. */
export const createValidationResults = (): ValidationResults => {
  const pending = new Map<number, (isForwarded: boolean) => void>()
  let nextId = 0
  return {
    request: post => {
      if (pending.size >= PENDING_MAX) return false
      const id = nextId++
      return new Promise(resolve => {
        pending.set(id, resolve)
        post(id)
      })
    },
    received: (id, isForwarded) => {
      pending.get(id)?.(isForwarded)
      pending.delete(id)
    },
  }
}
