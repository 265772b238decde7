/** What the operator has to do about a failed write. */
export type StoreRemedy = 'room' | 'restart'

const REMEDIES: Readonly<Record<StoreRemedy, string>> = {
  room: 'nothing is lost, but no block is committed until the cause (often a full disk) is removed. The node then goes on by itself',
  restart:
    'remove the cause and start the node again: it fetches from its peers the blocks that it has not written',
}

/** A write failed (a full disk, a lost connection). Reads go on; commits are refused until `ChainStore.retry` succeeds. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
  readonly code = 'STORE_FAILED'
  /** `restart` where what is in memory and what is in the store are no longer the same chain. */
  readonly remedy: StoreRemedy
  constructor(what: string, cause: unknown, remedy: StoreRemedy = 'room') {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`the store could not ${what}: ${reason}; ${REMEDIES[remedy]}`, { cause })
    this.remedy = remedy
  }
}
