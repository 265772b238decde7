import { stderr } from 'node:process'
import { startProgress } from '../../../runtime/cli/terminal/progress.ts'
import { processTerminal } from '../../../runtime/cli/terminal/terminal.ts'
import type { Forgetting } from '../settings.ts'
import { addReport, newTotals, type Totals } from './report.ts'
import { runShare } from './workers.ts'

export type Campaign = {
  readonly from: number
  readonly seeds: number
  readonly validators: number | undefined
  readonly forgetting: Forgetting | undefined
  readonly processes: number
}

/** Runs many seeds in several processes. */
export const runCampaign = async ({
  from,
  seeds,
  validators,
  forgetting,
  processes,
}: Campaign): Promise<Totals> => {
  const totals = newTotals()
  const progress = startProgress(processTerminal, text => void stderr.write(text))
  const step = Math.min(processes, seeds)
  const shares = Array.from({ length: step }, (_, index) => ({
    from: from + index,
    to: from + seeds,
    step,
    validators,
    forgetting,
    untilViolation: false,
  }))
  try {
    await Promise.all(
      shares.map(share =>
        runShare(share, report => {
          addReport(totals, report)
          if (report.violation !== undefined) stderr.write(`seed ${report.seed}: ${report.violation}\n`)
          const text = `${totals.seeds} of ${seeds} seeds, ${totals.violations.length} violations`
          progress.update({ done: totals.seeds, total: seeds, text })
        }),
      ),
    )
  } finally {
    progress.end()
  }
  totals.violations.sort((a, b) => a.seed - b.seed)
  return totals
}
