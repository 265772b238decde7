import {
  type ExecutionInput,
  type ExecutionResult,
  executionSteps,
} from '../../../../core/chain/execution/execution.ts'

/** Executes a block without a pause. */
export const executeInOneGo = (input: ExecutionInput): ExecutionResult => {
  const steps = executionSteps(input)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
