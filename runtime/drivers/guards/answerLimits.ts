/*
 * A server that holds a chain may lie about the length of its answers, or send them without an end. What a client of it takes is
 * bounded before it is kept.
 */

/** Longest value: the record of the longest block, with the receipts of its transactions. */
export const VALUE_BYTES_MAX = 64 * 1024 * 1024

/** Longest answer to one read of many values: sixteen records of long blocks, or a thousand other values. */
export const ANSWER_BYTES_MAX = 96 * 1024 * 1024

/** Values and rows of one answer: a read has a thousand keys at most, a list of keys has more. */
export const ANSWER_ITEMS_MAX = 1_000_000

/** An answer of a store is longer than any that was asked for, or is none. The connection is closed. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused'
  readonly code = 'ANSWER_REFUSED'
  constructor(why: string) {
    super(`the server's answer is refused: ${why}`)
  }
}
