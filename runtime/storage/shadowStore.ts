import type { KeyValueEntry, KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'

/**
 * Bytes of values that a check may write: an interrupted flush, and the views of 1,024 blocks, unless the views are much older
 * than the records.
 */
const WRITTEN_BYTES_MAX = 512 * 1024 * 1024

/** The views are so far behind the records that a check cannot bring them up to date in memory. */
export class ViewsTooOld extends Error {
  override readonly name = 'ViewsTooOld'
  readonly code = 'VIEWS_TOO_OLD'
}

/** A store over another one whose writes stay in memory. */
export type ShadowStore = {
  readonly kv: KeyValueStore
  /** By key; undefined for a removed entry. */
  readonly written: ReadonlyMap<string, Uint8Array | undefined>
}

/** Leaves the store below as it is, and open. Writes throw ViewsTooOld above a limit. */
export const createShadowStore = (below: KeyValueStore): ShadowStore => {
  const written = new Map<string, Uint8Array | undefined>()
  let bytes = 0
  const write = ({ key, value }: KeyValueEntry): void => {
    bytes += (value?.length ?? 0) - (written.get(key)?.length ?? 0)
    if (bytes > WRITTEN_BYTES_MAX) throw new ViewsTooOld('the views end too long before the records')
    written.set(key, value)
  }
  const { getSync } = below
  return {
    written,
    kv: {
      durability: 'none',
      getSync: getSync && (key => (written.has(key) ? written.get(key) : getSync(key))),
      get: async key => (written.has(key) ? written.get(key) : below.get(key)),
      set: async entries => entries.forEach(write),
      setDurably: async entry => write(entry),
      sync: async () => undefined,
      pause: () => below.pause(),
      close: async () => undefined,
    },
  }
}
