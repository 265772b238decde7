/**
 * The result for one gossiped transaction:
 * - `useful`: added to the pool, or refused for now although its sender has an account
 * - `known`: in the pool, mined, or validated before
 * - `worthless`: of no use to any node: without a valid sender, or refused and its sender has no account
 * - `dropped`: the queues were full
 */
export type ValidationResult = 'useful' | 'known' | 'worthless' | 'dropped'

/** The validation of the transactions of one gossip message. */
export type MessageValidation = {
  /** Records the result for one of its transactions. */
  record(result: ValidationResult): void
  /**
   * Resolves after the last result: true if the message is to be forwarded. It then has a useful transaction, and no more
   * worthless than useful ones. Invented transactions stop here, and an honest node never floods its peers with them.
   */
  readonly isForwarded: Promise<boolean>
}

/** @param count transactions of the message */
export const createMessageValidation = (count: number): MessageValidation => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const counts: Record<ValidationResult, number> = { useful: 0, known: 0, worthless: 0, dropped: 0 }
  let left = count
  if (left === 0) resolve(false)
  return {
    record: result => {
      counts[result]++
      if (--left === 0) resolve(counts.useful > 0 && counts.useful >= counts.worthless)
    },
    isForwarded: promise,
  }
}
