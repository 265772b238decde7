/** A write failed (a full disk, a lost connection). Reads go on; commits are refused until the store is opened again. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
  readonly code = 'STORE_FAILED'
  constructor(what: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(
      `the store could not ${what}: ${reason}; nothing is lost, but no block is committed until the cause ` +
        '(often a full disk) is removed and the node is started again',
      { cause },
    )
  }
}
