import type { YieldTurn } from './scheduler.ts'

/** Work in steps: other work may run when it yields. */
export type Steps<Result> = Generator<void, Result, void>

/** Runs all remaining steps without yielding. */
export const runSteps = <Result>(steps: Iterator<void, Result, void>): Result => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs all remaining steps and calls `pause` after every `stepsPerPause` of them, so that other work may run. */
export const runStepsYielding = async <Result>(
  steps: Iterator<void, Result, void>,
  pause: YieldTurn,
  stepsPerPause = 1,
): Promise<Result> => {
  for (let count = 1; ; count++) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (count % stepsPerPause === 0) await pause()
  }
}
