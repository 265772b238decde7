import { escapeText } from '../../core/text/escapeText.ts'

/** Causes that one sentence lists; the rest is counted. */
const LISTED_MAX = 3

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

/** ` of 0x1234…abcd`, for a text about a proposal; empty while its proposer is unknown. */
export const ofProposer = (proposer: string | undefined): string =>
  proposer === undefined ? '' : ` of ${shortAddress(proposer)}`

/** Whole seconds. */
export const seconds = (ms: number): string => `${Math.max(0, Math.round(ms / 1000))} s`

/** `a, b and 2 more`. */
export const listed = (items: readonly string[], max = LISTED_MAX): string => {
  const shown = items.slice(0, max)
  const rest = items.length - shown.length
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} more`
}

/** Longer texts of another program are cut. */
const TEXT_LENGTH_MAX = 4_096

/** A text of another program for a terminal: short, on one line, and escaped. */
export const printable = (text: string): string => escapeText(text.slice(0, TEXT_LENGTH_MAX))

/** For JSON.parse: makes each string printable. */
export const printableStrings = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? printable(value) : value
