import type { Result } from '../run.ts'

/** One seed's result as a worker process tells it, in a line. */
export type SeedReport = Pick<
  Result,
  'seed' | 'violation' | 'steps' | 'heights' | 'virtualMs' | 'recoveryMs'
> & {
  readonly faults: readonly (readonly [what: string, times: number])[]
  readonly attackers: readonly string[]
  /** The time that the next block may take, by which `recoveryMs` is judged. */
  readonly boundMs: number
}

export const encodeReport = (report: SeedReport): string => JSON.stringify(report)

export const decodeReport = (line: string): SeedReport => JSON.parse(line) as SeedReport

export type Totals = {
  seeds: number
  steps: number
  heights: number
  virtualMs: number
  recoveryMsMax: number
  /** Of its bound, the slowest. */
  recoveryShareMax: number
  readonly faults: Map<string, number>
  readonly attackers: Map<string, number>
  readonly violations: { readonly seed: number; readonly violation: string }[]
}

export const newTotals = (): Totals => ({
  seeds: 0,
  steps: 0,
  heights: 0,
  virtualMs: 0,
  recoveryMsMax: 0,
  recoveryShareMax: 0,
  faults: new Map(),
  attackers: new Map(),
  violations: [],
})

const add = (counts: Map<string, number>, what: string, times: number): void =>
  void counts.set(what, (counts.get(what) ?? 0) + times)

export const addReport = (totals: Totals, report: SeedReport): void => {
  totals.seeds++
  totals.steps += report.steps
  totals.heights += report.heights
  totals.virtualMs += report.virtualMs
  totals.recoveryMsMax = Math.max(totals.recoveryMsMax, report.recoveryMs)
  totals.recoveryShareMax = Math.max(totals.recoveryShareMax, report.recoveryMs / report.boundMs)
  for (const [what, times] of report.faults) add(totals.faults, what, times)
  for (const name of report.attackers) add(totals.attackers, name, 1)
  const { seed, violation } = report
  if (violation !== undefined) totals.violations.push({ seed, violation })
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([what, times]) => `${what} ${times}`)
    .join(', ')

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, times) => total + times, 0)

/** What a campaign came to, for people. */
export const totalsText = (totals: Totals, tookMs: number, replay: (seed: number) => string): string => {
  const { violations } = totals
  const lines = [
    `seeds       ${totals.seeds} in ${(tookMs / 1000).toFixed(1)} s`,
    `steps       ${totals.steps}, ${totals.heights} blocks, ${(totals.virtualMs / 3_600_000).toFixed(1)} hours of virtual time`,
    `faults      ${sum(totals.faults)} injected: ${listed(totals.faults)}`,
    `attackers   ${sum(totals.attackers)}: ${listed(totals.attackers)}`,
    `recovery    ${totals.recoveryMsMax} ms at most from the end of the faults to the next block, ${Math.round(totals.recoveryShareMax * 100)} % of 4 timeouts + 10 s at most`,
    `violations  ${violations.length}`,
    ...violations.map(({ seed, violation }) => `  seed ${seed}: ${violation}\n    replay: ${replay(seed)}`),
  ]
  return lines.join('\n')
}
