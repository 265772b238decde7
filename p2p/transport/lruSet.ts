/** A value for each key, created on first use. Beyond `most` keys the oldest is evicted. */
export const createRecent = <T>(most: number, make: () => T): ((key: string) => T) => {
  const values = new Map<string, T>()
  return key => {
    const known = values.get(key)
    if (known !== undefined) return known
    const made = make()
    values.set(key, made)
    const [oldest] = values.keys()
    if (values.size > most && oldest !== undefined) values.delete(oldest)
    return made
  }
}
