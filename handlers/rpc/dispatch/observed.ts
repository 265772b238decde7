import type { RpcObserver } from '../observer.ts'
import type { Outcome } from './envelope.ts'
import { RPC_ERRORS } from '../errors.ts'
import type { Runner } from './runner.ts'

/** Names of errors, by the code and the text of their answers. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(RPC_ERRORS).map(([name, { code, message }]) => [`${code} ${message}`, name]),
)

/** The name of an error in the table. Rejections by the pool have varying texts, so their name is the code. */
const errorTypeOf = (outcome: Outcome): string | undefined => {
  if (!('error' in outcome)) return undefined
  const { code, message } = outcome.error
  return NAMES.get(`${code} ${message}`) ?? `${code}`
}

/** A runner that reports each call to the observer. The time of calls that are handled together is divided evenly. */
export const observed = (runner: Runner, observer: RpcObserver): Runner => {
  const timed =
    (run: Runner['run']): Runner['run'] =>
    (method, call) => {
      const startedMs = performance.now()
      const answered = (outcome: Outcome): Outcome => {
        observer.called(method.name, performance.now() - startedMs, errorTypeOf(outcome))
        return outcome
      }
      const outcome = run(method, call)
      return outcome instanceof Promise ? outcome.then(answered) : answered(outcome)
    }
  return {
    find: (name, caller) => runner.find(name, caller),
    run: timed((method, call) => runner.run(method, call)),
    runSingle: timed((method, call) => runner.runSingle(method, call)),
    runMany: async (method, calls) => {
      const startedMs = performance.now()
      const outcomes = await runner.runMany(method, calls)
      const eachMs = (performance.now() - startedMs) / Math.max(1, calls.length)
      for (const outcome of outcomes) observer.called(method.name, eachMs, errorTypeOf(outcome))
      return outcomes
    },
  }
}
