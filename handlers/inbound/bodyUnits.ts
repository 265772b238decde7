import { type UnitBudget, unitBudget } from './unitBudget.ts'

/**
 * A shorter chunk of a body costs as much as one of this length. Less than any packet of a network holds, so that bodies of ordinary
 * clients have none but their last.
 */
export const SHORT_CHUNK_BYTES = 256

/** Short chunks of a body that are part of the price of its request. */
const FREE_CHUNKS = 16

/** Short chunks that every body may have, however short its limit is. */
const CHUNKS_MIN = 64

/** The chunks of one body, each with its minimum price. */
export type BodyUnits = {
  /** Counts a chunk. 'too-many' for a body that can never be read, 'busy' where all such bodies together cost too much. */
  readonly take: (bytes: number) => 'taken' | 'too-many' | 'busy'
  /** The caller has shown who they are: the budget of the others does not count for them. */
  readonly identify: () => void
  /** Price of the short chunks so far, in bytes. */
  readonly price: () => number
}

/** @param bytesMax limit of the body */
export const createBodyUnits = (bytesMax: number, budget: UnitBudget = unitBudget()): BodyUnits => {
  const chunksMax = Math.max(CHUNKS_MIN, bytesMax / SHORT_CHUNK_BYTES)
  let chunks = 0
  let isKnown = false
  return {
    take: bytes => {
      if (bytes >= SHORT_CHUNK_BYTES) return 'taken'
      chunks++
      if (chunks > chunksMax) {
        if (!isKnown) budget.refuse('chunks of request bodies')
        return 'too-many'
      }
      if (isKnown || chunks <= FREE_CHUNKS || budget.take('chunks of request bodies')) return 'taken'
      return 'busy'
    },
    identify: () => {
      isKnown = true
    },
    price: () => chunks * SHORT_CHUNK_BYTES,
  }
}

const counted = new WeakMap<Request, BodyUnits>()

/** Says that the server counts the chunks of a request itself, and joins them before they are read. */
export const setBodyUnits = (request: Request, units: BodyUnits): void => {
  counted.set(request, units)
}

/** Undefined where the reader of the body has to count its chunks. */
export const bodyUnitsOf = (request: Request): BodyUnits | undefined => counted.get(request)
