import { type Address, equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import type { Log } from '../../../core/chain/receipt.ts'
import { logPattern, type LogPattern, type LogWants } from '../../../core/store/logs/pattern.ts'
import { RpcError } from '../errors.ts'
import { type BlockSelector, LATEST, numberSelectorOf } from '../parameters/block.ts'
import { addressOf, hashOf, isObject, required } from '../parameters/values.ts'

/** Addresses and topics of one filter together: each is looked for in every section of the index. */
export const FILTER_VALUES_MAX = 10_000

/** A log has no more topics, so a longer list matches nothing. */
const TOPICS_MAX = 4

/** Which blocks are searched. */
export type LogRange =
  | { readonly kind: 'range'; readonly from: BlockSelector; readonly to: BlockSelector }
  | { readonly kind: 'block'; readonly hash: Hash }

/** Which logs are wanted; what is undefined lets all pass. */
export type LogCriteria = {
  readonly addresses: ValueTest | undefined
  /** By position. */
  readonly topics: readonly (ValueTest | undefined)[]
  /** What a block must hold; undefined where no log can be wanted. */
  readonly pattern: LogPattern | undefined
}

export type LogFilter = LogCriteria & { readonly range: LogRange }

/** True for a value that is one of those looked for. */
type ValueTest = (value: Uint8Array) => boolean

/** Up to so many values are compared one by one, which is less work than hex of what they are compared with. */
const COMPARED_VALUES_MAX = 8

const valueTest = (values: readonly Uint8Array[] | undefined): ValueTest | undefined => {
  if (values === undefined) return undefined
  if (values.length <= COMPARED_VALUES_MAX) return value => values.some(one => equalBytes(one, value))
  const hexes = new Set(values.map(toBareHex))
  return value => hexes.has(toBareHex(value))
}

/** The criteria of these wants, in the forms in which blocks and logs are held against them. */
export const logCriteria = (wants: LogWants): LogCriteria => ({
  addresses: valueTest(wants.addresses),
  topics: wants.topics.map(valueTest),
  pattern: wants.topics.length > TOPICS_MAX ? undefined : logPattern(wants),
})

export const logMatches = (log: Log, { addresses, topics }: LogCriteria): boolean =>
  topics.length <= log.topics.length &&
  (addresses === undefined || addresses(log.address)) &&
  topics.every((test, index) => test === undefined || test(log.topics[index] as Hash))

const readAddresses = (value: unknown): readonly Address[] => {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map(one => required(addressOf(one), 'INVALID_FILTER'))
}

/** One position: a topic, several of which one must be there, or null for any; null among several is any too. */
const readTopic = (value: unknown): readonly Hash[] => {
  if (value === null || value === undefined) return []
  const several = Array.isArray(value) ? value : [value]
  if (several.includes(null)) return []
  return several.map(one => required(hashOf(one), 'INVALID_FILTER'))
}

const readBound = (value: unknown): BlockSelector =>
  value === undefined || value === null ? LATEST : required(numberSelectorOf(value), 'INVALID_FILTER')

/** @throws RpcError `Invalid filter params` */
export const readLogFilter = (value: unknown): LogFilter => {
  if (!isObject(value)) throw new RpcError('INVALID_FILTER')
  const { fromBlock, toBlock, blockHash, blockhash, address, topics } = value
  const addresses = readAddresses(address)
  if (topics !== undefined && topics !== null && !Array.isArray(topics)) throw new RpcError('INVALID_FILTER')
  const positions = (topics ?? []).map(readTopic)
  const count = positions.reduce((sum, position) => sum + position.length, addresses.length)
  if (count > FILTER_VALUES_MAX) throw new RpcError('INVALID_FILTER')
  const hash = blockHash ?? blockhash ?? undefined
  if (hash !== undefined && ((fromBlock ?? undefined) !== undefined || (toBlock ?? undefined) !== undefined))
    throw new RpcError('INVALID_FILTER')
  return {
    ...logCriteria({
      addresses: addresses.length === 0 ? undefined : addresses,
      topics: positions.map(position => (position.length === 0 ? undefined : position)),
    }),
    range:
      hash === undefined
        ? { kind: 'range', from: readBound(fromBlock), to: readBound(toBlock) }
        : { kind: 'block', hash: required(hashOf(hash), 'INVALID_FILTER') },
  }
}
