import { causesOf } from './causes.ts'
import type { Cause, CauseKind, NodeReport } from './nodeReport.ts'

/** What stops this chain or this node. */
export type Diagnosis = {
  /** False when blocks are decided, or the next one may still come in time. True too where the rules allow none now. */
  readonly isStalled: boolean
  /** Undefined when nothing is wrong. */
  readonly kind: CauseKind | undefined
  /** One sentence for a person; undefined when nothing is wrong. */
  readonly sentence: string | undefined
  /** All causes, the most important first. Some are there although blocks are decided. */
  readonly causes: readonly Cause[]
}

const unknown = ({ isValidator, validators }: NodeReport): Cause => ({
  kind: 'unknown',
  text: `no round of the block has started, and nothing that this node sees explains it: ${isValidator && validators.length === 1 ? 'see the errors in its log' : 'compare the logs of all validators'}`,
})

/** Causes that keep this node from working whether or not a block is overdue. */
const ALWAYS: ReadonlySet<CauseKind> = new Set([
  'invariant',
  'disk',
  'disk-slow',
  'key-in-use',
  'behind',
  'no-validators',
  'gas-limit',
  'head-in-future',
  'clocks',
  'genesis',
  'pool',
])

const attempt = ({ round, nextAttemptMs, nowMs, isValidator }: NodeReport): string => {
  if (!isValidator || round === undefined) return ''
  const next =
    nextAttemptMs === undefined
      ? ''
      : `, next attempt in ${Math.max(0, Math.ceil((nextAttemptMs - nowMs) / 1000))} s`
  return `; round ${round}${next}`
}

/** The text with a capital letter at its beginning. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Explains in one sentence why no block is being decided, or what else is wrong. Pure: depends on the report alone. */
export const explain = (report: NodeReport): Diagnosis => {
  const { overdueSeconds } = report
  const found = causesOf(report)
  if (overdueSeconds === undefined) {
    const always = found.filter(({ kind }) => ALWAYS.has(kind))
    // The pool comes last: waiting transactions must not hide a cause that an operator has to remove.
    const causes = always.toSorted((a, b) => Number(a.kind === 'pool') - Number(b.kind === 'pool'))
    const [first] = causes
    const isBehind = causes.some(({ kind }) => kind === 'behind')
    const isStalled = !isBehind && causes.some(({ stops }) => stops === true)
    if (first === undefined) return { isStalled, kind: undefined, sentence: undefined, causes }
    const sentence = isStalled ? `No block can be decided: ${first.text}.` : `${capital(first.text)}.`
    return { isStalled, kind: first.kind, sentence, causes }
  }
  const [first = unknown(report), ...more] = found
  const causes = [first, ...more]
  const sentence = `No block for ${overdueSeconds} s: ${first.text}${attempt(report)}.`
  return { isStalled: true, kind: first.kind, sentence, causes }
}
