/** Maximum messages that wait for a verdict: as many as transactions may wait on the main thread. */
const PENDING_MAX = 16_384

export type Verdicts = {
  /** Posts a message with a new id and waits for its verdict; false at once, without posting it, if too many wait. */
  request(post: (id: number) => void): boolean | Promise<boolean>
  received(id: number, isForwarded: boolean): void
}

/** Matches messages of transactions with the main thread's verdicts: whether each is forwarded to other peers. */
export const createVerdicts = (): Verdicts => {
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
