/** Work in steps: where it yields, other work may have its turn. */
export type Steps<Result> = Generator<void, Result, void>

/** Goes through all that is left, without pausing. */
export const inOneGo = <Result>(steps: Iterator<void, Result, void>): Result => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Goes through all that is left, with a pause where it yields. */
export const withPauses = async <Result>(
  steps: Iterator<void, Result, void>,
  pause: () => Promise<void>,
): Promise<Result> => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await pause()
  }
}
