import type { EntryCondition } from './condition.ts'

/**
 * The storage that the chain store needs, which every unstorage driver provides. The chain store relies on no atomic batch,
 * no key order and no range scan.
 */
export type KeyValueStore = {
  /** Data survives, after a completed `sync()`: `synced` a power cut, `process` a killed process, `none` no stop. */
  readonly durability: 'synced' | 'process' | 'none'
  /** Undefined when the store can only be read asynchronously. */
  readonly getSync: ((key: string) => Uint8Array | undefined) | undefined
  get(key: string): Promise<Uint8Array | undefined>
  /** The value of each key, in their order, in one round trip. Undefined where separate reads cost the same. */
  readonly getMany?: ((keys: readonly string[]) => Promise<readonly (Uint8Array | undefined)[]>) | undefined
  /** Writes each entry, or removes it when its value is undefined; in one transaction if the store has transactions. */
  set(entries: readonly KeyValueEntry[]): Promise<void>
  /**
   * If the condition holds, writes the entries, all or none, in one round trip. Resolves to true when it held. A condition
   * without a value needs an entry with its key. Undefined in a store without transactions.
   */
  readonly setIf?:
    | ((condition: EntryCondition, entries: readonly KeyValueEntry[]) => Promise<boolean>)
    | undefined
  /** Writes one entry and resolves when it is as durable as `durability` says, regardless of other pending writes. */
  setDurably(entry: KeyValueEntry): Promise<void>
  /**
   * As `setDurably` for several entries at less cost: in one transaction, or so that after a stop a prefix of them without
   * a gap is stored. Undefined where it would cost the same.
   */
  readonly setAllDurably?: ((entries: readonly KeyValueEntry[]) => Promise<void>) | undefined
  /** Resolves when everything written before is as durable as `durability` says. */
  sync(): Promise<void>
  /**
   * Makes the store writable again after a failed write or sync: durable values are kept, later writes may be lost. Rejects
   * while the cause persists. Undefined where this needs no action.
   */
  readonly recover?: (() => Promise<void>) | undefined
  /**
   * Deletes cached values that were read, because one of them failed its check; what is read next comes from the store itself.
   * Undefined where nothing is cached.
   */
  readonly forget?: (() => Promise<void>) | undefined
  /** Resolves when other work has run; called between the slices of long background work. */
  pause(): Promise<void>
  close(): Promise<void>
}

export type KeyValueEntry = { readonly key: string; readonly value: Uint8Array | undefined }
