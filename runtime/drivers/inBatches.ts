/** Does the work for each item, `batchSize` items at a time. The results are in the order of the items. */
export const inBatches = async <Item, Result>(
  items: readonly Item[],
  batchSize: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += batchSize)
    results.push(...(await Promise.all(items.slice(at, at + batchSize).map(work))))
  return results
}
