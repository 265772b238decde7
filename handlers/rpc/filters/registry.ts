import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { RpcHost } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { JsonPieces } from '../jsonPieces.ts'
import type { LogFilter } from '../logs/filter.ts'
import { logsBetween } from '../logs/search.ts'
import { createPendingFeed } from './pendingFeed.ts'

/** Filters of all clients together; the one not asked for longest gives way. */
export const FILTERS_MAX = 4096

/** Besu's: a filter nobody asked for so long is gone. */
export const FILTER_LIFETIME_MS = 10 * 60 * 1000

/** Blocks that one poll looks at; the rest comes with the next. */
export const FILTER_BLOCKS_MAX = 10_000n

const ID_BYTES = 16

type Installed = { lastUsedMs: number } & (
  | { readonly kind: 'blocks'; nextBlock: bigint }
  | { readonly kind: 'pending'; position: number }
  | { readonly kind: 'logs'; nextBlock: bigint; readonly filter: LogFilter }
)

/** The filters that clients have installed and poll. */
export type FilterRegistry = {
  newBlockFilter(): string
  newPendingFilter(): string
  newLogFilter(filter: LogFilter): string
  /** What came since the last call: block hashes, transaction hashes or logs. @throws RpcError when there is no such filter. */
  changes(id: string, expired: () => boolean): Promise<readonly string[] | JsonPieces>
  /** The filter itself. @throws RpcError when there is no such log filter. */
  logFilter(id: string): LogFilter
  /** True when there was one. */
  uninstall(id: string): boolean
}

export const createFilterRegistry = ({ chain, pool, nowMs, randomBytes }: RpcHost): FilterRegistry => {
  // In the order of last use: a map keeps the order of insertion.
  const filters = new Map<string, Installed>()
  const pending = createPendingFeed(pool)

  let pendingCount = 0

  const drop = (id: string): boolean => {
    const filter = filters.get(id)
    if (filter?.kind === 'pending' && --pendingCount === 0) pending.stop()
    return filters.delete(id)
  }

  const install = (filter: Installed): string => {
    if (filter.kind === 'pending') pendingCount++
    const oldestMs = nowMs() - FILTER_LIFETIME_MS
    for (const [id, { lastUsedMs }] of filters) {
      if (lastUsedMs >= oldestMs && filters.size < FILTERS_MAX) break
      drop(id)
    }
    const id = toQuantity(bytesToBigint(randomBytes(ID_BYTES)))
    filters.set(id, filter)
    return id
  }

  const use = (id: string): Installed | undefined => {
    const filter = filters.get(id)
    if (filter === undefined) return undefined
    const now = nowMs()
    if (now - filter.lastUsedMs > FILTER_LIFETIME_MS) {
      drop(id)
      return undefined
    }
    filter.lastUsedMs = now
    filters.delete(id)
    filters.set(id, filter)
    return filter
  }

  const nextBlock = (): bigint => chain.head().header.number + 1n

  /** The blocks one poll looks at, and moves the filter behind them. */
  const advance = (filter: { nextBlock: bigint }): readonly [from: bigint, to: bigint] => {
    const from = filter.nextBlock
    const head = chain.head().header.number
    const to = head - from >= FILTER_BLOCKS_MAX ? from + FILTER_BLOCKS_MAX - 1n : head
    filter.nextBlock = to + 1n
    return [from, to]
  }

  const hashesBetween = async (from: bigint, to: bigint): Promise<string[]> => {
    const hashes: string[] = []
    for (let number = from; number <= to; number++) {
      const hash = chain.store.recentHash(number) ?? ((await chain.store.record(number)) as BlockRecord).hash
      hashes.push(toHex(hash))
    }
    return hashes
  }

  /** A log filter's upper bound counts for what comes, its lower one does not, as in Besu. */
  const upperBound = ({ range }: LogFilter, to: bigint): bigint =>
    range.kind === 'range' && range.to.kind === 'number' && range.to.number < to ? range.to.number : to

  return {
    newBlockFilter: () => install({ kind: 'blocks', nextBlock: nextBlock(), lastUsedMs: nowMs() }),
    newPendingFilter: () => install({ kind: 'pending', position: pending.start(), lastUsedMs: nowMs() }),
    newLogFilter: filter => install({ kind: 'logs', nextBlock: nextBlock(), filter, lastUsedMs: nowMs() }),
    changes: async (id, expired) => {
      const filter = use(id)
      if (filter === undefined) throw new RpcError('FILTER_NOT_FOUND')
      if (filter.kind === 'pending') {
        const { hashes, position } = pending.since(filter.position)
        filter.position = position
        return hashes
      }
      const [from, to] = advance(filter)
      if (filter.kind === 'blocks') return await hashesBetween(from, to)
      const { filter: wanted } = filter
      return await logsBetween({ chain, nowMs }, wanted, from, upperBound(wanted, to), expired)
    },
    logFilter: id => {
      const filter = use(id)
      if (filter?.kind !== 'logs') throw new RpcError('LOGS_FILTER_NOT_FOUND')
      return filter.filter
    },
    uninstall: drop,
  }
}
