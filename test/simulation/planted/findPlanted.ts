import { runShare } from '../campaign/workers.ts'
import type { SeedReport } from '../campaign/report.ts'
import { PLANTED_BUGS, type PlantedBug } from './bugs.ts'
import { plant } from './plant.ts'

/** The first of these seeds that finds the planted bug. */
export const seedThatFinds = async (
  bug: PlantedBug,
  from: number,
  seeds: number,
): Promise<SeedReport | undefined> => {
  const tree = plant(bug)
  try {
    let found: SeedReport | undefined
    const share = {
      from,
      to: from + seeds,
      step: 1,
      validators: undefined,
      forgetting: undefined,
      untilViolation: true,
    }
    await runShare(
      share,
      report => {
        if (report.violation !== undefined) found ??= report
      },
      tree.main,
    )
    return found
  } finally {
    tree.remove()
  }
}

/** True when every planted bug is found. */
export const findPlanted = async (
  from: number,
  seeds: number,
  out: (line: string) => void,
): Promise<boolean> => {
  let missed = 0
  for (const bug of PLANTED_BUGS) {
    const found = await seedThatFinds(bug, from, seeds)
    if (found === undefined) missed++
    const how =
      found === undefined
        ? `not found within ${seeds} seeds`
        : `found by seed ${found.seed}, the ${found.seed - from + 1}. tried: ${found.violation}`
    out(`${bug.name}: ${how}`)
  }
  out(`${PLANTED_BUGS.length - missed} of ${PLANTED_BUGS.length} planted bugs found`)
  return missed === 0
}
