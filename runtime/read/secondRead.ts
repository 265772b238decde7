import type { ChainStore } from '../../core/store/store.ts'
import { faultOf, isOfWrongValue } from './faults.ts'

/**
 * Repeats work that met a wrong value, once, after everything that caches have of the store was forgotten: a value may have
 * been damaged for a moment only.
 */
export const readTwice = async <Result>(
  first: unknown,
  forget: () => Promise<void>,
  work: () => Result | Promise<Result>,
): Promise<Result> => {
  if (!isOfWrongValue(first)) throw first
  await forget()
  try {
    return await work()
  } catch (second) {
    throw faultOf(second)
  }
}

type Read = (...given: readonly unknown[]) => unknown

/** Functions that return at once, and run or fail within a run; what they miss is the run's matter. */
const SYNCHRONOUS: ReadonlySet<keyof ChainStore> = new Set([
  'head',
  'failure',
  'onFailed',
  'genesisHash',
  'forkBlock',
  'historyStart',
  'damagedFrom',
  'endedBefore',
  'onDamaged',
  'recentHash',
  'pastHash',
  'stateAt',
  'nodes',
  'snapshotNodes',
])

/** A store each read of which is repeated past all caches when it meets a value that is damaged, or fails its proof. */
export const withSecondRead = <Store extends ChainStore>(
  store: Store,
  forget: () => Promise<void>,
): Store => {
  const repeated =
    (read: Read): Read =>
    (...given) => {
      const again = (error: unknown): Promise<unknown> => readTwice(error, forget, () => read(...given))
      try {
        const result = read(...given)
        return result instanceof Promise ? result.catch(again) : result
      } catch (error) {
        return again(error)
      }
    }
  const reads = Object.entries(store).map(([name, value]) => [
    name,
    typeof value !== 'function' || SYNCHRONOUS.has(name as keyof ChainStore)
      ? value
      : repeated(value as Read),
  ])
  return Object.fromEntries(reads) as Store
}
