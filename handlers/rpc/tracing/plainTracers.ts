import { joinHooks, type TracerKind } from './traced.ts'

/** geth's noopTracer: runs the transaction and returns nothing, to measure the cost of tracing. */
export const noopTracer: TracerKind = () => ({ hooks: {}, finish: () => ({}) })

/**
 * geth's opcountTracer: the number of executed instructions, including a failed one and the implicit STOP after the
 * code.
 */
export const opcountTracer: TracerKind = (_, budget) => {
  let count = 0
  return {
    hooks: {
      onStep: () => {
        budget.add(0)
        count++
      },
    },
    finish: () => count,
  }
}

/** geth's muxTracer: several tracers over one run, each result under the tracer's name. */
export const muxTracer =
  (kinds: readonly (readonly [name: string, kind: TracerKind])[]): TracerKind =>
  (traced, budget) => {
    const tracers = kinds.map(([name, kind]) => [name, kind(traced, budget)] as const)
    return {
      hooks: joinHooks(tracers.map(([, { hooks }]) => hooks)),
      finish: result => Object.fromEntries(tracers.map(([name, { finish }]) => [name, finish(result)])),
    }
  }
