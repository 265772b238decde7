import type { ClaimBytes } from '../../inbound/inboundLimits.ts'
import { idSources } from '../json/ids.ts'
import { countValues, JSON_VALUE_BYTES, parseJson } from '../json/parse.ts'
import { parseSteps } from '../json/parseSteps.ts'
import type { YieldTurn } from './scheduler.ts'

/** Characters of a body that is parsed in one go: of `{}` alone that takes ten milliseconds. */
export const WHOLE_LENGTH_MAX = 256 * 1024

/** Values of a parsed body that its text stands for: most requests have fewer than twenty. */
const FREE_VALUES = 1000

export type ParsedBody = {
  readonly value: unknown
  /** Source text of the numbers that the request, or the entry of the batch at that place, has as its id. */
  readonly idSource: (entry: number) => string | undefined
}

/** The parsed requests do not fit into the memory for them. */
export class BodyTooBusy extends Error {
  override readonly name = 'BodyTooBusy'
  readonly code = 'BODY_TOO_BUSY'
}

const claimValues = (count: number, claim: ClaimBytes): void => {
  if (count > FREE_VALUES && !claim(count * JSON_VALUE_BYTES)) throw new BodyTooBusy()
}

/** Parses a body of WHOLE_LENGTH_MAX. @throws JsonError, BodyTooBusy */
export const parseWhole = (text: string, claim: ClaimBytes): ParsedBody => {
  claimValues(countValues(text), claim)
  const value = parseJson(text)
  let sources: readonly (string | undefined)[] | undefined
  return {
    value,
    idSource: entry => {
      sources ??= idSources(text)
      return sources[entry]
    },
  }
}

/** Resolves when the long body that was parsed last is done. */
let lastParsed: Promise<unknown> = Promise.resolve()

/**
 * Parses a body of any length in slices. One at a time: what several leave to the garbage collector is collected in one go, and
 * that would hold up everything.
 * @throws JsonError, BodyTooBusy
 */
export const parseYielding = async (
  text: string,
  batchSizeMax: number,
  claim: ClaimBytes,
  yieldTurn: YieldTurn,
): Promise<ParsedBody> => {
  const before = lastParsed
  const parsing = before.then(() => parse(text, batchSizeMax, claim, yieldTurn))
  // The error is for the one who asked.
  lastParsed = parsing.catch(() => undefined)
  return await parsing
}

const parse = async (
  text: string,
  batchSizeMax: number,
  claim: ClaimBytes,
  yieldTurn: YieldTurn,
): Promise<ParsedBody> => {
  const steps = parseSteps(text, batchSizeMax)
  for (;;) {
    const step = steps.next()
    if (step.done === true) {
      const { value, valueCount, idSources: sources } = step.value
      claimValues(valueCount, claim)
      const entries = Array.isArray(value) ? (value as readonly unknown[]) : [value]
      return { value, idSource: entry => sources.get(entries[entry] as object) }
    }
    await yieldTurn()
  }
}
