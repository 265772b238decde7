import { isObject } from '../../../core/json.ts'
import { type Address, equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Log } from '../../../core/block/receipt.ts'
import { logPattern, type LogPattern, type LogQuery } from '../../../core/store/logs/pattern.ts'
import { RpcError } from '../errors.ts'
import { type BlockSelector, LATEST, numberSelectorOf } from '../parameters/block.ts'
import { bareHashOf, exactAddressOf, hashOf } from '../parameters/values.ts'
import { reversedRange } from './range.ts'

/** Maximum number of addresses and topics of one filter: each is searched in every section of the index. */
export const FILTER_VALUES_MAX = 10_000

/** A log has no more topics, so a longer list matches nothing. */
const TOPICS_MAX = 4

/** The searched blocks. */
export type LogRange =
  | { readonly kind: 'range'; readonly from: BlockSelector; readonly to: BlockSelector }
  | { readonly kind: 'block'; readonly hash: Hash }

/** Criteria of the logs; an undefined one matches all. */
export type LogCriteria = {
  readonly addresses: ValueTest | undefined
  /** Tests by topic position. */
  readonly topics: readonly (ValueTest | undefined)[]
  /** The pattern that a block must contain; undefined where no log can match. */
  readonly pattern: LogPattern | undefined
}

export type LogFilter = LogCriteria & {
  readonly query: LogQuery
  readonly range: LogRange
  /** Number of addresses and topics. */
  readonly valueCount: number
}

/** True for one of the wanted values. */
type ValueTest = (value: Uint8Array) => boolean

/** Up to this number values are compared one by one, which is faster than a lookup by hex. */
const COMPARED_VALUES_MAX = 8

const valueTest = (values: readonly Uint8Array[] | undefined): ValueTest | undefined => {
  if (values === undefined) return undefined
  if (values.length <= COMPARED_VALUES_MAX) return value => values.some(one => equalBytes(one, value))
  const hexes = new Set(values.map(toBareHex))
  return value => hexes.has(toBareHex(value))
}

/** Compiles a query to criteria for blocks and logs. */
const logCriteria = (query: LogQuery): LogCriteria => ({
  addresses: valueTest(query.addresses),
  topics: query.topics.map(valueTest),
  pattern: query.topics.length > TOPICS_MAX ? undefined : logPattern(query),
})

export const logMatches = (log: Log, { addresses, topics }: LogCriteria): boolean =>
  topics.length <= log.topics.length &&
  (addresses === undefined || addresses(log.address)) &&
  topics.every((test, index) => test === undefined || test(log.topics[index] as Hash))

/**
 * Members of a filter; unknown ones are refused, since the filter would match more than intended. `fromAddress` and
 * similar ones belong to trace_filter (Besu).
 */
const MEMBERS: ReadonlySet<string> = new Set([
  'fromBlock',
  'toBlock',
  'blockHash',
  'blockhash',
  'address',
  'topics',
  'fromAddress',
  'toAddress',
  'after',
  'count',
])

/** Refuses a filter because of a member. @throws RpcError */
export const invalidFilter = (reason: string): never => {
  throw new RpcError('INVALID_FILTER', { data: `filter.${reason}` })
}

/** Unlike in Besu a short address is refused: it matches nothing, so accepting it would hide a mistake. */
const readAddresses = (value: unknown): readonly Address[] => {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map(
    one => exactAddressOf(one) ?? invalidFilter('address: an address of 20 bytes in hex, or a list of them'),
  )
}

/** One position: a topic, a list of alternatives, or null for any topic. A null among alternatives also means any topic. */
const readTopic = (value: unknown): readonly Hash[] => {
  if (value === null || value === undefined) return []
  const several = Array.isArray(value) ? value : [value]
  if (several.includes(null)) return []
  return several.map(
    one => bareHashOf(one) ?? invalidFilter('topics: each is 32 bytes in hex, null, or a list of them'),
  )
}

const readTopics = (value: unknown): readonly (readonly Hash[])[] => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.map(readTopic) : invalidFilter('topics: a list')
}

const readBound = (name: 'fromBlock' | 'toBlock', value: unknown): BlockSelector =>
  value === undefined || value === null
    ? LATEST
    : (numberSelectorOf(value) ?? invalidFilter(`${name}: a block number in hex, 0 or more, or a tag`))

const readRange = (fromBlock: unknown, toBlock: unknown): LogRange => {
  const from = readBound('fromBlock', fromBlock)
  const to = readBound('toBlock', toBlock)
  if (from.kind === 'number' && to.kind === 'number' && from.number > to.number)
    throw reversedRange(from.number, to.number)
  return { kind: 'range', from, to }
}

/** @throws RpcError `Invalid filter params`, or `Invalid params` for a range that holds no block */
export const readLogFilter = (value: unknown): LogFilter => {
  if (!isObject(value)) throw new RpcError('INVALID_FILTER')
  const unknown = Object.keys(value).find(name => !MEMBERS.has(name))
  if (unknown !== undefined) return invalidFilter(`${unknown.slice(0, 40)}: not a member of a filter`)
  const { fromBlock, toBlock, blockHash, blockhash, address, topics } = value
  const addresses = readAddresses(address)
  const positions = readTopics(topics)
  const count = positions.reduce((sum, position) => sum + position.length, addresses.length)
  if (count > FILTER_VALUES_MAX)
    return invalidFilter(`address, topics: more than ${FILTER_VALUES_MAX} together`)
  const hash = blockHash ?? blockhash ?? undefined
  if (hash !== undefined && ((fromBlock ?? undefined) !== undefined || (toBlock ?? undefined) !== undefined))
    return invalidFilter('blockHash: excludes fromBlock and toBlock')
  const query: LogQuery = {
    addresses: addresses.length === 0 ? undefined : addresses,
    topics: positions.map(position => (position.length === 0 ? undefined : position)),
  }
  return {
    ...logCriteria(query),
    query,
    valueCount: count,
    range:
      hash === undefined
        ? readRange(fromBlock, toBlock)
        : { kind: 'block', hash: hashOf(hash) ?? invalidFilter('blockHash: 32 bytes in hex with 0x') },
  }
}
