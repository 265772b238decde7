import { errorText } from '../text/errorText.ts'

/** The operator's action after a failed write: make room on the disk, or restart the node. */
export type StoreRemedy = 'room' | 'restart'

const REMEDIES: Readonly<Record<StoreRemedy, string>> = {
  room: 'nothing is lost, but no block is committed until the cause (often a full disk) is removed. The node then continues by itself',
  restart:
    'remove the cause and start the node again: it fetches from its peers the blocks that it has not written',
}

/** A write failed (for example on a full disk). Reads continue; commits are refused until `ChainStore.retry` succeeds. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
  readonly code = 'STORE_FAILED'
  /** `restart` when the chains in memory and in the store differ. */
  readonly remedy: StoreRemedy
  constructor(what: string, cause: unknown, remedy: StoreRemedy = 'room') {
    const reason = errorText(cause)
    super(`the store could not ${what}: ${reason}; ${REMEDIES[remedy]}`, { cause })
    this.remedy = remedy
  }
}

/** The failure of a store that refuses commits, and the listeners for failures. */
export type Failures = {
  current: StoreFailed | undefined
  readonly listeners: Set<(failure: StoreFailed) => void>
}

export const createFailures = (): Failures => ({ current: undefined, listeners: new Set() })

/** Records a failure and returns the current one: the first failure stays until a retry succeeds. */
export const fail = (failures: Failures, next: StoreFailed): StoreFailed => {
  if (failures.current !== undefined) return failures.current
  failures.current = next
  for (const listener of failures.listeners) listener(next)
  return next
}
