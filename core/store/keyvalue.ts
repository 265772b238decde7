/**
 * What the chain store asks of a place to keep values: nothing that an unstorage driver could not give. No atomic batch,
 * no order, no range scan is relied on.
 */
export type KeyValueStore = {
  /** What `sync()` promises: `synced` survives a power cut, `process` a killed process, `none` nothing. */
  readonly durability: 'synced' | 'process' | 'none'
  /** Undefined where the store can only be read asynchronously. */
  readonly getSync: ((key: string) => Uint8Array | undefined) | undefined
  get(key: string): Promise<Uint8Array | undefined>
  /** Writes (or, with an undefined value, removes) each entry; in one transaction where the store has them. */
  set(entries: readonly KeyValueEntry[]): Promise<void>
  /** Writes one entry and resolves when it is as durable as `durability` says, whatever else was written and is not yet. */
  setDurably(entry: KeyValueEntry): Promise<void>
  /**
   * As `setDurably`, several at less cost: in one transaction, or so that after a stop at any time the first of them are
   * there, without a gap. Left out where it would cost the same.
   */
  readonly setAllDurably?: ((entries: readonly KeyValueEntry[]) => Promise<void>) | undefined
  /** Resolves when everything written before is as durable as `durability` says. */
  sync(): Promise<void>
  /**
   * Makes the store writable again after a failed write or sync, once the cause is gone: what was durable is kept, later
   * writes may be lost. Rejects while the cause is still there. Left out where nothing has to be done.
   */
  readonly recover?: (() => Promise<void>) | undefined
  /** Resolves when other work had its turn; called between the slices of long background work. */
  pause(): Promise<void>
  close(): Promise<void>
}

export type KeyValueEntry = { readonly key: string; readonly value: Uint8Array | undefined }
