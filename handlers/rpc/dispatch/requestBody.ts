import type { ClaimBytes } from '../../inbound/inboundLimits.ts'
import { idSources } from '../json/ids.ts'
import { countValues, JSON_VALUE_BYTES, parseCounted } from '../json/parse.ts'
import { parseSteps } from '../json/parseSteps.ts'
import type { YieldTurn } from '../../../core/scheduler.ts'

/** Longest body that is parsed in one step, in characters: one made of `{}` takes ten milliseconds. */
export const WHOLE_LENGTH_MAX = 256 * 1024

/** Parsed values that need no memory claim: most requests have fewer than twenty. */
const FREE_VALUES = 1000

export type ParsedBody = {
  readonly value: unknown
  /** Source text of a numeric id: of the request, or of the entry of a batch at that index. */
  readonly idSource: (entry: number) => string | undefined
}

/** The parsed body does not fit into the memory limit. */
export class BodyTooBusy extends Error {
  override readonly name = 'BodyTooBusy'
  readonly code = 'BODY_TOO_BUSY'
}

const claimValues = (count: number, claim: ClaimBytes): void => {
  if (count > FREE_VALUES && !claim(count * JSON_VALUE_BYTES)) throw new BodyTooBusy()
}

/** Parses a body of at most WHOLE_LENGTH_MAX. @throws JsonError, BodyTooBusy */
export const parseWhole = (text: string, claim: ClaimBytes): ParsedBody => {
  claimValues(countValues(text), claim)
  const value = parseCounted(text)
  let sources: readonly (string | undefined)[] | undefined
  return {
    value,
    idSource: entry => {
      sources ??= idSources(text)
      return sources[entry]
    },
  }
}

/** Resolves when the latest long body is parsed. */
let lastParsed: Promise<unknown> = Promise.resolve()

/**
 * Parses a body of any length, yielding between steps. One body at a time: collecting the garbage of several at once would
 * block the event loop.
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
  // The caller handles the error.
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
