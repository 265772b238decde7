/** Connections that a Worker may have open at once. */
const REQUESTS_AT_ONCE = 6

/** Does the work for each item, a few at a time. */
export const inSteps = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += REQUESTS_AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + REQUESTS_AT_ONCE).map(work))))
  return results
}
