import type { Log } from '../../../core/chain/receipt.ts'
import type { BlockLogs } from '../../../core/store/logs/blockLogs.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { createPace } from '../pace.ts'
import { type BlockSelector, blockNumberOf } from '../parameters/block.ts'
import { type LogCriteria, type LogFilter, logMatches } from './filter.ts'

/** Logs of one answer: each is some 700 characters of JSON. */
export const LOGS_MAX = 100_000

/** Logs between two looks at the clock: well under a millisecond. */
const STEP_LOGS = 128

/** What becomes of a log that was found; the block is not to be kept. */
export type TakeLog<T> = (log: Log, block: BlockLogs, transactionIndex: number, logIndex: number) => T

/** The wanted logs of one block, in order; undefined for each that is not, so that whoever takes them can pause. */
function* eachLog<T>(
  block: BlockLogs,
  criteria: LogCriteria,
  take: TakeLog<T>,
): Generator<T | undefined, void> {
  let logIndex = 0
  for (const [transactionIndex, { logs }] of block.receipts.entries())
    for (const log of logs) {
      yield logMatches(log, criteria) ? take(log, block, transactionIndex, logIndex) : undefined
      logIndex++
    }
}

/**
 * The wanted logs of blocks `from` to `to`, both included. Others have their turn after every few milliseconds of it.
 * @throws RpcError when it takes too long, nobody waits for it any more or there are more than LOGS_MAX
 */
export const logsBetween = async <T>(
  { chain, nowMs }: Pick<RpcContext, 'chain' | 'nowMs'>,
  criteria: LogCriteria,
  from: bigint,
  to: bigint,
  expired: () => boolean,
  take: TakeLog<T>,
): Promise<T[]> => {
  const { pattern } = criteria
  const found: T[] = []
  let seen = 0
  if (pattern === undefined) return found
  const pace = createPace(nowMs)
  const step = async (): Promise<void> => {
    await pace()
    if (expired()) throw new RpcError('TIMEOUT')
  }
  for (let next = from; next <= to; ) {
    await step()
    const { numbers, through } = await chain.store.searchLogs(pattern, next, to)
    for (const number of numbers) {
      await step()
      const block = await chain.store.logsOf(number)
      if (block === undefined) continue
      for (const log of eachLog(block, criteria, take)) {
        if (++seen % STEP_LOGS === 0) await step()
        if (log === undefined) continue
        if (found.length === LOGS_MAX) throw new RpcError('LOGS_TOO_MANY')
        found.push(log)
      }
    }
    next = through + 1n
  }
  return found
}

const boundOf = async (context: RpcContext, selector: BlockSelector): Promise<bigint> => {
  if (selector.kind === 'number') {
    if (selector.number < 0n) throw new RpcError('INVALID_PARAMS')
    return selector.number
  }
  try {
    return (await blockNumberOf(context, selector)) as bigint
  } catch (error) {
    if (error instanceof RpcError && error.code === 'UNKNOWN_BLOCK')
      throw new RpcError('INVALID_BLOCK_NUMBER')
    throw error
  }
}

/**
 * All logs a filter asks for.
 * @param rangeMax most blocks between the bounds, 0 for any number.
 * @throws RpcError
 */
export const searchLogs = async <T>(
  context: RpcContext,
  filter: LogFilter,
  rangeMax: bigint,
  expired: () => boolean,
  take: TakeLog<T>,
): Promise<T[]> => {
  if (filter.range.kind === 'block') {
    const number = await context.chain.store.numberOfHash(filter.range.hash)
    if (number === undefined) throw new RpcError('BLOCK_NOT_FOUND')
    return await logsBetween(context, filter, number, number, expired, take)
  }
  const from = await boundOf(context, filter.range.from)
  const to = await boundOf(context, filter.range.to)
  if (from > to || to > context.chain.head().header.number) throw new RpcError('INVALID_PARAMS')
  if (rangeMax > 0n && to - from > rangeMax) throw new RpcError('LOGS_RANGE_TOO_LARGE')
  return await logsBetween(context, filter, from, to, expired, take)
}
