import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { BlockLogs } from '../../../core/store/logs/blockLogs.ts'
import type { RpcHost } from '../context.ts'
import { RpcError } from '../dispatch/errors.ts'
import type { JsonPieces } from '../json/jsonPieces.ts'
import type { LogFilter } from '../logs/filter.ts'
import { logsBetween } from '../logs/search.ts'
import { createYield } from '../dispatch/scheduler.ts'
import { createPendingFeed } from './pendingFeed.ts'

/** Filters of all clients together; the one not asked for longest gives way. */
export const FILTERS_MAX = 4096

/** Addresses and topics of all log filters together, each some 500 bytes; the filters not asked for longest give way. */
export const INSTALLED_VALUES_MAX = 50_000

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

const isTooMany = (error: unknown): boolean => error instanceof RpcError && error.code === 'LOGS_TOO_MANY'

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

export const createFilterRegistry = ({ chain, pool, nowMs, randomBytes, keep }: RpcHost): FilterRegistry => {
  // In the order of last use: a map keeps the order of insertion.
  const filters = new Map<string, Installed>()
  const pending = createPendingFeed(pool)

  let pendingCount = 0
  let valueCount = 0

  const drop = (id: string): boolean => {
    const filter = filters.get(id)
    if (filter?.kind === 'pending' && --pendingCount === 0) pending.stop()
    if (filter?.kind === 'logs') valueCount -= filter.filter.valueCount
    return filters.delete(id)
  }

  const install = (filter: Installed): string => {
    if (filter.kind === 'pending') pendingCount++
    if (filter.kind === 'logs') valueCount += filter.filter.valueCount
    const oldestMs = nowMs() - FILTER_LIFETIME_MS
    for (const [id, { lastUsedMs }] of filters) {
      const fits = filters.size < FILTERS_MAX && valueCount <= INSTALLED_VALUES_MAX
      if (lastUsedMs >= oldestMs && fits) break
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

  /** The last block one poll looks at. */
  const lastOfPoll = (from: bigint): bigint => {
    const head = chain.head().header.number
    return head - from >= FILTER_BLOCKS_MAX ? from + FILTER_BLOCKS_MAX - 1n : head
  }

  const hashesBetween = async (from: bigint, to: bigint, expired: () => boolean): Promise<string[]> => {
    const yieldTurn = createYield(nowMs)
    const hashes: string[] = []
    for (let number = from; number <= to; number++) {
      await yieldTurn()
      if (expired()) throw new RpcError('TIMEOUT')
      const hash = chain.store.recentHash(number) ?? ((await chain.store.logsOf(number)) as BlockLogs).hash
      hashes.push(toHex(hash))
    }
    return hashes
  }

  /** A log filter's upper bound counts for what comes, its lower one does not, as in Besu. */
  const upperBound = ({ range }: LogFilter, to: bigint): bigint =>
    range.kind === 'range' && range.to.kind === 'number' && range.to.number < to ? range.to.number : to

  /** Undefined where fewer blocks have to be asked for. */
  const logsUpTo = async (
    filter: LogFilter,
    from: bigint,
    to: bigint,
    expired: () => boolean,
  ): Promise<JsonPieces | undefined> => {
    try {
      return await logsBetween({ chain, nowMs, keep }, filter, from, upperBound(filter, to), expired)
    } catch (error) {
      if (to > from && isTooMany(error)) return undefined
      throw error
    }
  }

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
      const from = filter.nextBlock
      let to = lastOfPoll(from)
      filter.nextBlock = to + 1n
      try {
        if (filter.kind === 'blocks') return await hashesBetween(from, to, expired)
        for (;;) {
          const found = await logsUpTo(filter.filter, from, to, expired)
          if (found !== undefined) return found
          to = from + (to - from) / 2n
          filter.nextBlock = to + 1n
        }
      } catch (error) {
        // What was not answered comes with the next poll, unless it never can be: a block of too many logs is told once.
        if (!isTooMany(error)) filter.nextBlock = from
        throw error
      }
    },
    logFilter: id => {
      const filter = use(id)
      if (filter?.kind !== 'logs') throw new RpcError('LOGS_FILTER_NOT_FOUND')
      return filter.filter
    },
    uninstall: id => use(id) !== undefined && drop(id),
  }
}
