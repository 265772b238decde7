import type { Log } from '../../../core/block/receipt.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { LogQuery } from '../../../core/store/logs/pattern.ts'
import { type LogCriteria, logMatches } from './filter.ts'

/** Paths of one filter in the index, unless one list alone has more values; each takes some 500 bytes. */
const PATHS_MAX = 1024

/** Filters by the values that a log must have: a log visits those that can match it, however many others there are. */
export type FilterIndex<Item> = {
  readonly size: number
  /** Adds an item under its filter. Returns the function that removes it. */
  add(filter: IndexedFilter, item: Item): () => void
  /** The items whose filters the log matches. */
  matching(log: Log): Iterable<Item>
}

export type IndexedFilter = LogCriteria & { readonly query: LogQuery }

/** How a filter is indexed. An undefined position is not looked up. */
type Placement = {
  /** Address, then topics. */
  readonly positions: readonly (readonly string[] | undefined)[]
  readonly pathCount: number
  /** True where a log that is found still has to be compared. */
  readonly isPartial: boolean
}

/** The lists with the fewest values become the paths, as far as their combinations are not too many. */
const placementOf = ({ addresses, topics }: LogQuery): Placement => {
  const lists = [addresses, ...topics].map(values =>
    values === undefined ? undefined : [...new Set(values.map(toBareHex))],
  )
  const byLength = lists
    .flatMap((list, position) => (list === undefined ? [] : [{ list, position }]))
    .sort((one, other) => one.list.length - other.list.length)
  const positions = lists.map((): readonly string[] | undefined => undefined)
  let pathCount = 1
  let isPartial = false
  for (const [index, { list, position }] of byLength.entries())
    if (index === 0 || pathCount * list.length <= PATHS_MAX) {
      positions[position] = list
      pathCount *= list.length
    } else isPartial = true
  return { positions, pathCount, isPartial }
}

/** What a filter costs: its values and paths, and where it has to be compared with logs it does not match, as many more. */
export const filterPrice = (filter: IndexedFilter & { readonly valueCount: number }): number => {
  const { pathCount, isPartial } = placementOf(filter.query)
  return filter.valueCount + pathCount + (isPartial ? PATHS_MAX : 0)
}

/** An item, and the criteria that its logs still have to be compared with. */
type Entry<Item> = { readonly item: Item; readonly compared: LogCriteria | undefined }

/** A step of the paths that begin with the same values: for the next value, the steps that follow. */
type Step<Item> = {
  /** Filters whose paths end here. */
  readonly entries: Set<Entry<Item>>
  /** By value; undefined for any value. */
  readonly next: Map<string | undefined, Step<Item>>
}

const createStep = <Item>(): Step<Item> => ({ entries: new Set(), next: new Map() })

/** Calls with each combination of one value of each position. */
const forEachPath = (
  positions: Placement['positions'],
  call: (path: readonly (string | undefined)[]) => void,
  path: readonly (string | undefined)[] = [],
): void => {
  if (path.length === positions.length) return call(path)
  for (const value of positions[path.length] ?? [undefined]) forEachPath(positions, call, [...path, value])
}

const insert = <Item>(root: Step<Item>, path: readonly (string | undefined)[], entry: Entry<Item>): void => {
  let step = root
  for (const value of path) {
    let next = step.next.get(value)
    if (next === undefined) step.next.set(value, (next = createStep()))
    step = next
  }
  step.entries.add(entry)
}

const removeFrom = <Item>(
  step: Step<Item>,
  path: readonly (string | undefined)[],
  entry: Entry<Item>,
  depth = 0,
): void => {
  if (depth === path.length) {
    step.entries.delete(entry)
    return
  }
  const next = step.next.get(path[depth])
  if (next === undefined) return
  removeFrom(next, path, entry, depth + 1)
  if (next.entries.size === 0 && next.next.size === 0) step.next.delete(path[depth])
}

/** At most 2^5 steps: each value of the log, or any. */
function* stepsOf<Item>(step: Step<Item>, values: readonly string[], depth = 0): Generator<Step<Item>> {
  if (step.entries.size > 0) yield step
  if (depth === values.length || step.next.size === 0) return
  for (const value of [undefined, values[depth]]) {
    const next = step.next.get(value)
    if (next !== undefined) yield* stepsOf(next, values, depth + 1)
  }
}

export const createFilterIndex = <Item>(): FilterIndex<Item> => {
  const root = createStep<Item>()
  let size = 0

  function* matching(log: Log): Generator<Item> {
    const values = [log.address, ...log.topics].map(toBareHex)
    for (const { entries } of stepsOf(root, values))
      for (const { item, compared } of entries)
        if (compared === undefined || logMatches(log, compared)) yield item
  }

  return {
    get size() {
      return size
    },
    add: (filter, item) => {
      // Undefined where no log can match.
      if (filter.pattern === undefined) return () => undefined
      const { positions, isPartial } = placementOf(filter.query)
      const entry: Entry<Item> = { item, compared: isPartial ? filter : undefined }
      forEachPath(positions, path => insert(root, path, entry))
      size++
      return () => {
        forEachPath(positions, path => removeFrom(root, path, entry))
        size--
      }
    },
    matching,
  }
}
