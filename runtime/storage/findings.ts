/** Problems shown in full; a damaged disk may have millions. */
const SHOWN_MAX = 20

/** What a check has found. */
export type Findings = { readonly shown: string[]; count: number }

export const createFindings = (): Findings => ({ shown: [], count: 0 })

export const found = (findings: Findings, problem: string): void => {
  findings.count++
  if (findings.shown.length < SHOWN_MAX) findings.shown.push(problem)
}

export const linesOf = ({ shown, count }: Findings): readonly string[] =>
  count > shown.length ? [...shown, `and ${count - shown.length} more`] : shown
