import type { Address } from '../../../../core/bytes/bytes.ts'
import type { RpcContext } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import { createJsonArray, type JsonPieces } from '../../jsonPieces.ts'
import { createPace } from '../../pace.ts'
import { type BlockSelector, blockNumberOf, LATEST, numberSelectorOf } from '../../parameters/block.ts'
import { addressOf, integerOf, isObject, required } from '../../parameters/values.ts'
import type { Budget } from '../budget.ts'
import { blockTraces, matches, type TraceMatch } from './blockTraces.ts'
import type { FlatTrace } from './flatTraces.ts'

type TraceFilter = TraceMatch & {
  readonly fromBlock: BlockSelector
  readonly toBlock: BlockSelector
  /** Traces that match and are passed over. */
  readonly after: number
  readonly count: number
}

/** Addresses of one list; each is compared with each trace. */
const ADDRESSES_MAX = 1000

const readAddresses = (value: unknown): readonly Address[] => {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > ADDRESSES_MAX) throw new RpcError('INVALID_FILTER')
  return value.map(address => required(addressOf(address), 'INVALID_FILTER'))
}

const readBlock = (value: unknown): BlockSelector =>
  value === undefined || value === null ? LATEST : required(numberSelectorOf(value), 'INVALID_BLOCK_NUMBER')

const readCount = (value: unknown, otherwise: number): number => {
  if (value === undefined || value === null) return otherwise
  return Number(required(integerOf(value, 53), 'INVALID_FILTER'))
}

const readMode = (value: unknown): TraceMatch['mode'] => {
  if (value === undefined || value === null) return 'intersection'
  if (value === 'union' || value === 'intersection') return value
  throw new RpcError('INVALID_FILTER')
}

/** @throws RpcError */
export const readTraceFilter = (value: unknown): TraceFilter => {
  if (!isObject(value)) throw new RpcError('INVALID_FILTER')
  return {
    fromBlock: readBlock(value['fromBlock']),
    toBlock: readBlock(value['toBlock']),
    fromAddress: readAddresses(value['fromAddress']),
    toAddress: readAddresses(value['toAddress']),
    mode: readMode(value['mode']),
    after: readCount(value['after'], 0),
    count: readCount(value['count'], Number.MAX_SAFE_INTEGER),
  }
}

const boundOf = async (context: RpcContext, selector: BlockSelector): Promise<bigint> =>
  required(await blockNumberOf(context, selector), 'INVALID_PARAMS')

/** The traces of a range of blocks that the filter lets through, in the order of the chain; no further than its count. */
export const filterTraces = async (
  context: RpcContext,
  filter: TraceFilter,
  budget: Budget,
): Promise<JsonPieces> => {
  const head = context.chain.head().header.number
  const from = await boundOf(context, filter.fromBlock)
  const to = await boundOf(context, filter.toBlock)
  if (from > to || to > head) throw new RpcError('INVALID_PARAMS')
  const { traceFilterRangeMax } = context.options
  if (traceFilterRangeMax > 0n && to - from > traceFilterRangeMax) throw new RpcError('LOGS_RANGE_TOO_LARGE')
  const pace = createPace(context.nowMs)
  const found = createJsonArray(context.keep)
  let passed = 0
  let count = 0
  let bytes = 0
  const take = (trace: FlatTrace): void => {
    if (!matches(trace, filter) || passed++ < filter.after || count === filter.count) return
    const json = JSON.stringify(trace.json)
    bytes += json.length
    count++
    found.add(json)
  }
  for (let number = from; number <= to && count < filter.count; number++) {
    await pace()
    budget.checkTime()
    const record = await context.chain.store.record(number)
    if (record === undefined) break
    await blockTraces(context, record, budget, take)
    // What did not get into the answer takes no part of it.
    budget.rewind(bytes)
  }
  return found.finish()
}
