import type { BlockRecord } from '../../../core/store/store.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { createPace } from '../pace.ts'
import { type BlockSelector, blockNumberOf } from '../parameters/block.ts'
import { logShape } from '../shapes/receipt.ts'
import { bloomMayMatch, type LogCriteria, type LogFilter, logMatches } from './filter.ts'

/** Logs of one answer: each is some 700 characters of JSON. */
export const LOGS_MAX = 100_000

type Json = Record<string, unknown>

/** The wanted logs of one block, in order. */
export const matchingLogs = (record: BlockRecord, criteria: LogCriteria): Json[] => {
  const found: Json[] = []
  let logIndex = 0
  record.receipts.forEach((receipt, transactionIndex) => {
    for (const log of receipt.logs) {
      if (logMatches(log, criteria)) found.push(logShape(log, { record, transactionIndex, logIndex }))
      logIndex++
    }
  })
  return found
}

/** The wanted logs of blocks `from` to `to`, both included. @throws RpcError */
export const logsBetween = async (
  { chain, nowMs }: Pick<RpcContext, 'chain' | 'nowMs'>,
  criteria: LogCriteria,
  from: bigint,
  to: bigint,
  expired: () => boolean,
): Promise<Json[]> => {
  const pace = createPace(nowMs)
  const found: Json[] = []
  for (let number = from; number <= to; number++) {
    await pace()
    if (expired()) throw new RpcError('TIMEOUT')
    const header = await chain.store.header(number)
    if (header === undefined || !bloomMayMatch(header.logsBloom, criteria)) continue
    const record = await chain.store.record(number)
    if (record === undefined) continue
    for (const log of matchingLogs(record, criteria)) found.push(log)
    if (found.length > LOGS_MAX) throw new RpcError('LOGS_TOO_MANY')
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
export const searchLogs = async (
  context: RpcContext,
  filter: LogFilter,
  rangeMax: bigint,
  expired: () => boolean,
): Promise<Json[]> => {
  if (filter.range.kind === 'block') {
    const number = await context.chain.store.numberOfHash(filter.range.hash)
    if (number === undefined) throw new RpcError('BLOCK_NOT_FOUND')
    return await logsBetween(context, filter, number, number, expired)
  }
  const from = await boundOf(context, filter.range.from)
  const to = await boundOf(context, filter.range.to)
  if (from > to || to > context.chain.head().header.number) throw new RpcError('INVALID_PARAMS')
  if (rangeMax > 0n && to - from > rangeMax) throw new RpcError('LOGS_RANGE_TOO_LARGE')
  return await logsBetween(context, filter, from, to, expired)
}
