import { minBigint } from '../../../core/bytes/integer.ts'
import type { Log } from '../../../core/block/receipt.ts'
import type { BlockLogs } from '../../../core/store/logs/blockLogs.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { JsonPieces } from '../json/jsonPieces.ts'
import { type BlockSelector, blockNumberOf } from '../parameters/block.ts'
import { type LogCriteria, type LogFilter, logMatches } from './filter.ts'
import { requireRange, requireRangeWithin } from './range.ts'
import { createLogsWriter } from './writeLogs.ts'

/** Logs of one answer: each is some 700 characters of JSON. */
export const LOGS_MAX = 100_000

/** Logs between two calls of the yield function: well under a millisecond. */
const STEP_LOGS = 128

/** Called with each matching log; must not keep the block. */
export type TakeLog<T> = (log: Log, block: BlockLogs, transactionIndex: number, logIndex: number) => T

/** Filters the logs of one block; yields after each log whether it matched, so that the caller can pause. */
function* takeMatching(
  block: BlockLogs,
  criteria: LogCriteria,
  take: TakeLog<void>,
): Generator<boolean, void> {
  let logIndex = 0
  for (const [transactionIndex, { logs }] of block.receipts.entries())
    for (const log of logs) {
      const matches = logMatches(log, criteria)
      if (matches) take(log, block, transactionIndex, logIndex)
      logIndex++
      yield matches
    }
}

type SearchContext = Pick<RpcContext, 'chain' | 'scheduler' | 'keep'>

/**
 * Takes the matching logs of blocks `from` to `to`, both included, and yields every few milliseconds. @throws RpcError
 * at the timeout, when the client has disconnected, or beyond LOGS_MAX
 */
const takeLogs = async (
  { chain, scheduler }: SearchContext,
  criteria: LogCriteria,
  from: bigint,
  to: bigint,
  expired: () => boolean,
  take: TakeLog<void>,
): Promise<void> => {
  const { pattern } = criteria
  if (pattern === undefined) return
  const yieldTurn = scheduler.createYield()
  let taken = 0
  let seen = 0
  const step = async (): Promise<void> => {
    await yieldTurn()
    if (expired()) throw new RpcError('TIMEOUT')
  }
  for (let next = from; next <= to; ) {
    await step()
    const { numbers, through } = await chain.store.searchLogs(pattern, next, to)
    for (const number of numbers) {
      await step()
      const block = await chain.store.logsOf(number)
      if (block === undefined) continue
      for (const isTaken of takeMatching(block, criteria, take)) {
        if (isTaken && ++taken > LOGS_MAX) throw tooMany(from, number)
        if (++seen % STEP_LOGS === 0) await step()
      }
    }
    next = through + 1n
  }
}

/** The error suggests a range that can be answered. */
const tooMany = (from: bigint, reached: bigint): RpcError =>
  new RpcError('LOGS_TOO_MANY', {
    detail:
      reached === from
        ? `more than ${LOGS_MAX} in block ${from}; use fewer addresses or topics`
        : `more than ${LOGS_MAX}; use a shorter range: blocks ${from} to ${reached - 1n} fit in one answer`,
  })

/** The matching logs of blocks `from` to `to`, both included, as JSON. @throws RpcError */
export const logsBetween = async (
  context: SearchContext,
  criteria: LogCriteria,
  from: bigint,
  to: bigint,
  expired: () => boolean,
): Promise<JsonPieces> => {
  const found = createLogsWriter(context.keep)
  await takeLogs(context, criteria, from, to, expired, found.add)
  return found.finish()
}

const boundOf = async (context: RpcContext, selector: BlockSelector): Promise<bigint> => {
  if (selector.kind === 'number') return selector.number
  try {
    return (await blockNumberOf(context, selector)) as bigint
  } catch (error) {
    if (error instanceof RpcError && error.code === 'UNKNOWN_BLOCK')
      throw new RpcError('INVALID_BLOCK_NUMBER')
    throw error
  }
}

/**
 * The blocks that a filter covers, both included, up to the head. @param rangeMax maximum number of blocks between the
 * bounds, 0 for any number. @throws RpcError
 */
const boundsOf = async (
  context: RpcContext,
  { range }: LogFilter,
  rangeMax: bigint,
): Promise<readonly [from: bigint, to: bigint]> => {
  if (range.kind === 'block') {
    const number = await context.chain.store.numberOfHash(range.hash)
    if (number === undefined) throw new RpcError('BLOCK_NOT_FOUND')
    return [number, number]
  }
  const from = await boundOf(context, range.from)
  const to = await boundOf(context, range.to)
  requireRange(from, to, context.chain.head().header.number)
  requireRangeWithin(from, to, rangeMax)
  return [from, to]
}

/** All logs that match a filter, as JSON. `rangeMax` as above. @throws RpcError */
export const searchLogsText = async (
  context: RpcContext,
  filter: LogFilter,
  rangeMax: bigint,
  expired: () => boolean,
): Promise<JsonPieces> =>
  logsBetween(context, filter, ...(await boundsOf(context, filter, rangeMax)), expired)

/**
 * All logs until now that match an installed filter, as JSON: without future blocks of its range, as in Besu, and from
 * no more blocks than `rangeMax`, where Besu has no limit. @throws RpcError
 */
export const installedLogsText = async (
  context: RpcContext,
  filter: LogFilter,
  rangeMax: bigint,
  expired: () => boolean,
): Promise<JsonPieces> => {
  const { range } = filter
  if (range.kind === 'block') return await searchLogsText(context, filter, rangeMax, expired)
  const from = await boundOf(context, range.from)
  const to = minBigint(await boundOf(context, range.to), context.chain.head().header.number)
  requireRangeWithin(from, to, rangeMax)
  return await logsBetween(context, filter, from, to, expired)
}

/** All logs that match a filter, in the form that `take` returns. `rangeMax` as above. @throws RpcError */
export const searchLogs = async <T>(
  context: RpcContext,
  filter: LogFilter,
  rangeMax: bigint,
  expired: () => boolean,
  take: TakeLog<T>,
): Promise<T[]> => {
  const found: T[] = []
  await takeLogs(context, filter, ...(await boundsOf(context, filter, rangeMax)), expired, (...log) =>
    found.push(take(...log)),
  )
  return found
}
