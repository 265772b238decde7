import { invalidFilter } from '../../logs/filter.ts'
import { isObject } from '../../../../core/json.ts'
import type { Address } from '../../../../core/bytes/bytes.ts'
import type { RpcContext } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import { createJsonArray, type JsonPieces } from '../../json/jsonPieces.ts'
import { type BlockSelector, blockNumberOf, LATEST, numberSelectorOf } from '../../parameters/block.ts'
import { exactAddressOf, integerOf, required } from '../../parameters/values.ts'
import { requireRange, requireRangeWithin } from '../../logs/range.ts'
import type { Budget } from '../budget.ts'
import { blockTraces, matches, type TraceMatch } from './blockTraces.ts'
import type { FlatTrace } from './flatTraces.ts'

type TraceFilter = TraceMatch & {
  readonly fromBlock: BlockSelector
  readonly toBlock: BlockSelector
  /** Number of matching traces to skip. */
  readonly after: number
  readonly count: number
}

/** Maximum number of addresses in one list; each is compared with each trace. */
const ADDRESSES_MAX = 1000

/** One address or a list of them (Besu). A short address matches nothing, so it is an error. */
const readAddresses = (name: string, value: unknown): readonly Address[] => {
  if (value === undefined || value === null) return []
  const several = Array.isArray(value) ? value : [value]
  if (several.length > ADDRESSES_MAX) return invalidFilter(`${name}: at most ${ADDRESSES_MAX} addresses`)
  return several.map(
    address =>
      exactAddressOf(address) ?? invalidFilter(`${name}: an address of 20 bytes in hex, or a list of them`),
  )
}

const readBlock = (name: string, value: unknown): BlockSelector => {
  if (value === undefined || value === null) return LATEST
  const selector = numberSelectorOf(value)
  if (selector !== undefined) return selector
  throw new RpcError('INVALID_BLOCK_NUMBER', {
    data: `filter.${name}: a block number in hex, 0 or more, or a tag`,
  })
}

const readCount = (name: string, value: unknown, otherwise: number): number => {
  if (value === undefined || value === null) return otherwise
  const count = integerOf(value, 53)
  return count === undefined ? invalidFilter(`${name}: an integer of at most 53 bits`) : Number(count)
}

const readMode = (value: unknown): TraceMatch['mode'] => {
  if (value === undefined || value === null) return 'intersection'
  return value === 'union' || value === 'intersection' ? value : invalidFilter('mode: union or intersection')
}

/** @throws RpcError */
export const readTraceFilter = (value: unknown): TraceFilter => {
  if (!isObject(value)) throw new RpcError('INVALID_FILTER')
  return {
    fromBlock: readBlock('fromBlock', value['fromBlock']),
    toBlock: readBlock('toBlock', value['toBlock']),
    fromAddress: readAddresses('fromAddress', value['fromAddress']),
    toAddress: readAddresses('toAddress', value['toAddress']),
    mode: readMode(value['mode']),
    after: readCount('after', value['after'], 0),
    count: readCount('count', value['count'], Number.MAX_SAFE_INTEGER),
  }
}

const boundOf = async (context: RpcContext, selector: BlockSelector): Promise<bigint> =>
  selector.kind === 'number'
    ? selector.number
    : required(await blockNumberOf(context, selector), 'INVALID_PARAMS')

/** The matching traces of a range of blocks, in the order of the chain, up to the filter's count. */
export const filterTraces = async (
  context: RpcContext,
  filter: TraceFilter,
  budget: Budget,
): Promise<JsonPieces> => {
  const head = context.chain.head().header.number
  const from = await boundOf(context, filter.fromBlock)
  const to = await boundOf(context, filter.toBlock)
  requireRange(from, to, head)
  requireRangeWithin(from, to, context.options.traceFilterRangeMax)
  const yieldTurn = context.scheduler.createYield()
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
    await yieldTurn()
    budget.checkTime()
    const record = await context.chain.store.record(number)
    if (record === undefined) break
    await blockTraces(context, record, budget, take)
    // Traces that are not part of the answer do not count.
    budget.rewind(bytes)
  }
  return found.finish()
}
