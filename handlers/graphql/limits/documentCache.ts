import { evictWhile } from '../../../core/collections/boundedMap.ts'

/**
 * Maximum total length of the texts whose parsed documents and errors are cached: a parsed query takes some fifty times
 * the size of its text.
 */
const CACHE_CHARACTERS_MAX = 1_000_000

/** Longer queries are not cached: programs generate them anew each time. */
const KEPT_CHARACTERS_MAX = 20_000

/** A cache of results by text; evicts the least recently used one. */
export type TextCache<T> = {
  get(text: string): T | undefined
  set(text: string, value: T): void
}

export const createTextCache = <T>(charactersMax = CACHE_CHARACTERS_MAX): TextCache<T> => {
  const kept = new Map<string, T>()
  let characters = 0
  return {
    get: text => {
      const value = kept.get(text)
      if (value === undefined) return undefined
      kept.delete(text)
      kept.set(text, value)
      return value
    },
    set: (text, value) => {
      if (text.length > KEPT_CHARACTERS_MAX || kept.has(text)) return
      kept.set(text, value)
      characters += text.length
      evictWhile(
        kept,
        () => characters > charactersMax,
        oldest => {
          kept.delete(oldest)
          characters -= oldest.length
        },
      )
    },
  }
}
