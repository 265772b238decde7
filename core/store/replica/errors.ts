/** A write to a replica, which readers cannot change. */
export class ReadOnlyStore extends Error {
  override readonly name = 'ReadOnlyStore'
  readonly code = 'READ_ONLY_STORE'
  constructor() {
    super('this store is a replica: only the node that fills it writes to it')
  }
}

/** A function of a store that would write, on a replica. */
export const refuseWrite = (): Promise<never> => Promise.reject(new ReadOnlyStore())

/** A read of state that a replica does not have: it has only blocks, or the block is too far before its head. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
  readonly code = 'STATE_UNAVAILABLE'
  constructor() {
    super('this replica does not have that state, or cannot prove it so far before its head: ask a node')
  }
}

/** A shared store that a reader cannot use: clients, probes and the log are told the same reason. */
export class ReplicaFault extends Error {
  override readonly name = 'ReplicaFault'
  readonly code = 'REPLICA_FAULT'
  constructor(reason: string, cause?: unknown) {
    super(`the shared store ${reason}`, cause === undefined ? undefined : { cause })
  }
}
