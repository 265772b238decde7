import { toQuantity } from '../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import type { RpcHost } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { LogFilter } from '../logs/filter.ts'
import { createPendingFeed, type PendingFeed } from './pendingFeed.ts'

/** Maximum number of addresses and topics of all log filters, each some 500 bytes. */
export const INSTALLED_VALUES_MAX = 50_000

const ID_BYTES = 16

export type Installed = { lastUsedMs: number } & (
  | { readonly kind: 'blocks'; nextBlock: bigint }
  | { readonly kind: 'pending'; position: number }
  | { readonly kind: 'logs'; nextBlock: bigint; readonly filter: LogFilter }
)

/** The installed filters, least recently used first: a map keeps the order of insertion. */
export type InstalledFilters = {
  readonly host: Pick<RpcHost, 'nowMs' | 'randomBytes' | 'options'>
  readonly filters: Map<string, Installed>
  readonly pending: PendingFeed
  pendingCount: number
  valueCount: number
}

export const createInstalledFilters = (
  host: Pick<RpcHost, 'nowMs' | 'randomBytes' | 'pool' | 'options'>,
): InstalledFilters => ({
  host,
  filters: new Map(),
  pending: createPendingFeed(host.pool),
  pendingCount: 0,
  valueCount: 0,
})

/** Removes a filter; true when it existed. */
export const removeFilter = (state: InstalledFilters, id: string): boolean => {
  const filter = state.filters.get(id)
  if (filter?.kind === 'pending' && --state.pendingCount === 0) state.pending.stop()
  if (filter?.kind === 'logs') state.valueCount -= filter.filter.valueCount
  return state.filters.delete(id)
}

/**
 * Removes expired filters, and refuses a further one beyond the limits: one client must not remove the filters of others.
 * @throws RpcError
 */
export const requireRoom = (state: InstalledFilters, valueCount: number): void => {
  const { activeFiltersMax, filterTimeoutMs } = state.host.options
  const oldestMs = state.host.nowMs() - filterTimeoutMs
  for (const [id, { lastUsedMs }] of state.filters) {
    if (lastUsedMs >= oldestMs) break
    removeFilter(state, id)
  }
  if (state.filters.size >= activeFiltersMax) throw new RpcError('FILTERS_TOO_MANY')
  if (state.valueCount + valueCount > INSTALLED_VALUES_MAX) throw new RpcError('FILTER_VALUES_TOO_MANY')
}

/** Adds a filter, for which there is room, under a random id. */
export const installFilter = (state: InstalledFilters, filter: Installed): string => {
  if (filter.kind === 'pending') state.pendingCount++
  if (filter.kind === 'logs') state.valueCount += filter.filter.valueCount
  const id = toQuantity(bytesToBigint(state.host.randomBytes(ID_BYTES)))
  state.filters.set(id, filter)
  return id
}

/** Returns a filter and marks it as the most recently used; undefined if it is unknown or expired. */
export const useFilter = (state: InstalledFilters, id: string): Installed | undefined => {
  const filter = state.filters.get(id)
  if (filter === undefined) return undefined
  const now = state.host.nowMs()
  if (now - filter.lastUsedMs > state.host.options.filterTimeoutMs) {
    removeFilter(state, id)
    return undefined
  }
  filter.lastUsedMs = now
  state.filters.delete(id)
  state.filters.set(id, filter)
  return filter
}
