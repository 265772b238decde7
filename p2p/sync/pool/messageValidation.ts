/**
 * What became of a gossiped transaction:
 * - `useful`: taken into the pool, or refused at the moment although the state knows its sender
 * - `known`: it is in the pool, was mined or was judged before
 * - `worthless`: nobody could use it: it has no sender, or one that the state does not know and that the pool refused
 * - `dropped`: no room for it to wait
 */
export type Verdict = 'useful' | 'known' | 'worthless' | 'dropped'

/** The transactions of one message that are being judged. */
export type MessageJudgement = {
  /** Notes the verdict on one of its transactions. */
  judged(verdict: Verdict): void
  /**
   * Resolves when all are judged: true where the message is to be forwarded. It then has a transaction that is useful and no
   * more that are worthless. What others made up ends here, and an honest node is never the one that floods its peers.
   */
  readonly isForwarded: Promise<boolean>
}

/** @param count transactions of the message */
export const createMessageJudgement = (count: number): MessageJudgement => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const counts: Record<Verdict, number> = { useful: 0, known: 0, worthless: 0, dropped: 0 }
  let left = count
  if (left === 0) resolve(false)
  return {
    judged: verdict => {
      counts[verdict]++
      if (--left === 0) resolve(counts.useful > 0 && counts.useful >= counts.worthless)
    },
    isForwarded: promise,
  }
}
