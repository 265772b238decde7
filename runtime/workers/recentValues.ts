import type { KeyValueEntry, KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'

/**
 * Workers KV shows a value up to a minute after it was written, and remembers for as long that there was none. For some
 * minutes such values are therefore stored with the head as well.
 */
const RECENT_SECONDS = 300
/** Maximum number of such keys: a first fill writes thousands a minute. */
const RECENT_KEYS_MAX = 4_096
/** Longest value that a row of the head's store takes with its key, in base64 as well. */
const RECENT_BYTES_MAX = 1_400_000

const LIST_KEY = 'recent'
export const recentKey = (key: string): string => `${LIST_KEY}:${key}`

type Recent = { readonly key: string; readonly atSeconds: number }

const readList = async (head: KeyValueStore): Promise<readonly Recent[]> => {
  const stored = await head.get(LIST_KEY)
  return stored === undefined ? [] : (JSON.parse(new TextDecoder().decode(stored)) as readonly Recent[])
}

/** The entries that store these values with the head, and that remove those which every reader of KV sees by now. */
export const recentEntries = async (
  head: KeyValueStore,
  values: readonly KeyValueEntry[],
  nowSeconds: number,
): Promise<readonly KeyValueEntry[]> => {
  const kept = values.filter(({ value }) => value !== undefined && value.length <= RECENT_BYTES_MAX)
  const added = new Set(kept.map(({ key }) => key))
  const before = (await readList(head)).filter(({ key }) => !added.has(key))
  const fresh = before.filter(({ atSeconds }) => nowSeconds - atSeconds < RECENT_SECONDS)
  const all = [...fresh, ...kept.map(({ key }): Recent => ({ key, atSeconds: nowSeconds }))]
  const next = all.slice(-RECENT_KEYS_MAX)
  const stays = new Set(next.map(({ key }) => key))
  return [
    ...before
      .filter(({ key }) => !stays.has(key))
      .map(({ key }) => ({ key: recentKey(key), value: undefined })),
    ...kept.filter(({ key }) => stays.has(key)).map(({ key, value }) => ({ key: recentKey(key), value })),
    { key: LIST_KEY, value: new TextEncoder().encode(JSON.stringify(next)) },
  ]
}
