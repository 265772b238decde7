import { joinHooks, type TracerKind } from './traced.ts'

/** geth's noopTracer: runs the transaction and tells nothing, to measure what tracing costs. */
export const noopTracer: TracerKind = () => ({ hooks: {}, finish: () => ({}) })

/** geth's opcountTracer: the number of instructions that ran, the one that failed and a STOP behind the code included. */
export const opcountTracer: TracerKind = (_, budget) => {
  let count = 0
  return {
    hooks: {
      onStep: () => {
        budget.spend(0)
        count++
      },
    },
    finish: () => count,
  }
}

/** geth's muxTracer: several tracers over one run, each answer under the tracer's name. */
export const muxTracer =
  (kinds: readonly (readonly [name: string, kind: TracerKind])[]): TracerKind =>
  (traced, budget) => {
    const watching = kinds.map(([name, kind]) => [name, kind(traced, budget)] as const)
    return {
      hooks: joinHooks(watching.map(([, { hooks }]) => hooks)),
      finish: result => Object.fromEntries(watching.map(([name, { finish }]) => [name, finish(result)])),
    }
  }
