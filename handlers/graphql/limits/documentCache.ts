/** Parsed documents and errors that are kept, by characters of their texts: parsed, a query takes some fifty times that. */
const CACHE_CHARACTERS_MAX = 1_000_000

/** Longer queries are made by programs, anew each time. */
const KEPT_CHARACTERS_MAX = 20_000

/** What was made of texts lately; the one used longest ago gives way. */
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
      for (const oldest of kept.keys()) {
        if (characters <= charactersMax) break
        kept.delete(oldest)
        characters -= oldest.length
      }
    },
  }
}
