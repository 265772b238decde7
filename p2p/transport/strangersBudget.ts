import { createBoundedCache } from '../../core/collections/boundedMap.ts'
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts'

/**
 * What arrives from nodes that are no validators has a price: the number of bytes that are decrypted and authenticated in the time that it
 * takes. Its own bytes are no measure: a frame of one byte costs what thousands do, and so do some that inflate to megabytes.
 */
const MEBIBYTE = 1024 * 1024
/** Of all these nodes together: some tenth of the network thread, which leaves the rest to the validators. */
const ALL_PER_SECOND = 8 * MEBIBYTE
/** The largest message twice. */
const ALL_BURST = 24 * MEBIBYTE
/** Of each, whatever the others send: the transactions and announcements of a usual network. */
const EACH_PER_SECOND = 256 * 1024
const EACH_BURST = MEBIBYTE
/** Nodes whose share is remembered, so that a new connection allows no new burst. */
const NODES_MAX = 1024

/** One budget for all nodes that are no validators. */
export type StrangersBudget = {
  /** Pays for work before it is done. Returns 0, or after how many milliseconds to try again: nothing was paid then. */
  pay(id: string, price: number): number
  /** Pays for work that was done, below zero if necessary. Returns the milliseconds for which to do no more. */
  charge(id: string, price: number): number
  /** Gives back what was paid for an answer that this node asked for. */
  refund(id: string, price: number): void
}

export const createStrangersBudget = (nowMs: () => number): StrangersBudget => {
  const all = createTokenBucket(ALL_PER_SECOND, ALL_BURST, nowMs)
  const ofNode = createBoundedCache(
    NODES_MAX,
    (): TokenBucket => createTokenBucket(EACH_PER_SECOND, EACH_BURST, nowMs),
  )
  const paysItself = (id: string, price: number): boolean => {
    const own = ofNode(id)
    if (own.take(price) === 0) return true
    own.take(-price)
    return false
  }
  return {
    pay: (id, price) => {
      if (paysItself(id, price)) return 0
      const waitMs = all.take(0)
      if (waitMs === 0) all.take(price)
      return waitMs
    },
    charge: (id, price) => (paysItself(id, price) ? 0 : all.take(price)),
    refund: (id, price) => {
      ofNode(id).take(-price)
    },
  }
}
