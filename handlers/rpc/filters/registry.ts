import { toHex } from '../../../core/bytes/hex.ts'
import type { BlockLogs } from '../../../core/store/logs/blockLogs.ts'
import type { RpcHost } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { JsonPieces } from '../json/jsonPieces.ts'
import type { LogFilter } from '../logs/filter.ts'
import { logsBetween } from '../logs/search.ts'
import {
  createInstalledFilters,
  type Installed,
  installFilter,
  removeFilter,
  requireRoom,
  useFilter,
} from './installed.ts'

/** Maximum number of blocks that one poll covers; later blocks follow with the next poll. */
const FILTER_BLOCKS_MAX = 10_000n

/** The filters that clients have installed and poll. */
export type FilterRegistry = {
  newBlockFilter(): string
  newPendingFilter(): string
  newLogFilter(filter: LogFilter): string
  /** Block hashes, transaction hashes or logs since the last call. @throws RpcError when there is no such filter. */
  changes(id: string, expired: () => boolean): Promise<readonly string[] | JsonPieces>
  /** The filter itself. @throws RpcError when there is no such log filter. */
  logFilter(id: string): LogFilter
  /** True when it existed. */
  uninstall(id: string): boolean
  /** Continues all filters after this block, which has become the head again. */
  goBack(head: bigint): void
}

type BlockRangeFilter = Extract<Installed, { nextBlock: bigint }>

type Reads = Pick<RpcHost, 'chain' | 'scheduler' | 'keep'>

const isTooMany = (error: unknown): boolean => error instanceof RpcError && error.code === 'LOGS_TOO_MANY'

const hashesBetween = async (
  { chain, scheduler }: Reads,
  from: bigint,
  to: bigint,
  expired: () => boolean,
): Promise<string[]> => {
  const yieldTurn = scheduler.createYield()
  const hashes: string[] = []
  for (let number = from; number <= to; number++) {
    await yieldTurn()
    if (expired()) throw new RpcError('TIMEOUT')
    const hash = chain.store.recentHash(number) ?? ((await chain.store.logsOf(number)) as BlockLogs).hash
    hashes.push(toHex(hash))
  }
  return hashes
}

/** A log filter's upper bound limits new logs; its lower bound does not, as in Besu. */
const upperBound = ({ range }: LogFilter, to: bigint): bigint =>
  range.kind === 'range' && range.to.kind === 'number' && range.to.number < to ? range.to.number : to

/** Undefined when the range has too many logs and must become shorter. */
const logsUpTo = async (
  reads: Reads,
  filter: LogFilter,
  from: bigint,
  to: bigint,
  expired: () => boolean,
): Promise<JsonPieces | undefined> => {
  try {
    return await logsBetween(reads, filter, from, upperBound(filter, to), expired)
  } catch (error) {
    if (to > from && isTooMany(error)) return undefined
    throw error
  }
}

/** The last block that one poll covers. */
const lastOfPoll = ({ chain }: Reads, from: bigint): bigint => {
  const head = chain.head().header.number
  return head - from >= FILTER_BLOCKS_MAX ? from + FILTER_BLOCKS_MAX - 1n : head
}

const blockChanges = async (
  reads: Reads,
  filter: BlockRangeFilter,
  expired: () => boolean,
): Promise<readonly string[] | JsonPieces> => {
  const from = filter.nextBlock
  let to = lastOfPoll(reads, from)
  filter.nextBlock = to + 1n
  try {
    if (filter.kind === 'blocks') return await hashesBetween(reads, from, to, expired)
    for (;;) {
      const found = await logsUpTo(reads, filter.filter, from, to, expired)
      if (found !== undefined) return found
      to = from + (to - from) / 2n
      filter.nextBlock = to + 1n
    }
  } catch (error) {
    // The next poll repeats the range, unless it can never be answered: a block with too many logs is reported once.
    if (!isTooMany(error)) filter.nextBlock = from
    throw error
  }
}

export const createFilterRegistry = (host: RpcHost): FilterRegistry => {
  const { chain, nowMs } = host
  const state = createInstalledFilters(host)
  const nextBlock = (): bigint => chain.head().header.number + 1n
  const install = (valueCount: number, create: () => Installed): string => {
    requireRoom(state, valueCount)
    return installFilter(state, create())
  }
  return {
    newBlockFilter: () => install(0, () => ({ kind: 'blocks', nextBlock: nextBlock(), lastUsedMs: nowMs() })),
    newPendingFilter: () =>
      install(0, () => ({ kind: 'pending', position: state.pending.start(), lastUsedMs: nowMs() })),
    newLogFilter: filter =>
      install(filter.valueCount, () => ({
        kind: 'logs',
        nextBlock: nextBlock(),
        filter,
        lastUsedMs: nowMs(),
      })),
    changes: async (id, expired) => {
      const filter = useFilter(state, id)
      if (filter === undefined) throw new RpcError('FILTER_NOT_FOUND')
      if (filter.kind !== 'pending') return blockChanges(host, filter, expired)
      const { hashes, position } = state.pending.since(filter.position)
      filter.position = position
      return hashes
    },
    logFilter: id => {
      const filter = useFilter(state, id)
      if (filter?.kind !== 'logs') throw new RpcError('LOGS_FILTER_NOT_FOUND')
      return filter.filter
    },
    goBack: head => {
      for (const filter of state.filters.values())
        if (filter.kind !== 'pending' && filter.nextBlock > head + 1n) filter.nextBlock = head + 1n
    },
    uninstall: id => useFilter(state, id) !== undefined && removeFilter(state, id),
  }
}
