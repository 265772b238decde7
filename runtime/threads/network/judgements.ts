/** Messages that may wait for the main thread's judgement: as many as the transactions that may wait there. */
const JUDGEMENTS_MAX = 16_384

export type Judgements = {
  /** Has a message judged under a number of its own; false at once where too many wait, and the message is lost. */
  ask(post: (id: number) => void): boolean | Promise<boolean>
  judged(id: number, isForwarded: boolean): void
}

/** Messages of transactions that the main thread judges, and its answers: whether they are to be forwarded. */
export const createJudgements = (): Judgements => {
  const waiting = new Map<number, (isForwarded: boolean) => void>()
  let nextId = 0
  return {
    ask: post => {
      if (waiting.size >= JUDGEMENTS_MAX) return false
      const id = nextId++
      return new Promise(resolve => {
        waiting.set(id, resolve)
        post(id)
      })
    },
    judged: (id, isForwarded) => {
      waiting.get(id)?.(isForwarded)
      waiting.delete(id)
    },
  }
}
