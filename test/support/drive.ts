import type { Steps } from '../../core/steps.ts'

/** Goes through the steps and counts the pauses. */
export const drive = <Result>(steps: Steps<Result>): { readonly result: Result; readonly pauses: number } => {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next()
    if (step.done === true) return { result: step.value, pauses }
  }
}
