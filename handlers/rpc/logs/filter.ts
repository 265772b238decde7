import type { Address, Hash } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import type { Log } from '../../../core/chain/receipt.ts'
import { RpcError } from '../errors.ts'
import { type BlockSelector, LATEST, numberSelectorOf } from '../parameters/block.ts'
import { addressOf, hashOf, isObject, required } from '../parameters/values.ts'

/** Addresses and topics of one filter together: each is compared with every block's bloom. */
export const FILTER_VALUES_MAX = 10_000

/** A log has no more topics, so a longer list matches nothing. */
const TOPICS_MAX = 4

/** Which blocks are searched. */
export type LogRange =
  | { readonly kind: 'range'; readonly from: BlockSelector; readonly to: BlockSelector }
  | { readonly kind: 'block'; readonly hash: Hash }

/** Which logs are wanted; a set that is undefined lets all pass. */
export type LogCriteria = {
  readonly addresses: ValueSet | undefined
  /** By position. */
  readonly topics: readonly (ValueSet | undefined)[]
}

export type LogFilter = LogCriteria & { readonly range: LogRange }

type ValueSet = {
  readonly hexes: ReadonlySet<string>
  /** For each value, byte index and mask of its three bits in a bloom, six numbers in a row. */
  readonly bloomBits: Uint16Array
}

const valueSet = (values: readonly Uint8Array[]): ValueSet => {
  const bloomBits = new Uint16Array(6 * values.length)
  values.forEach((value, index) => {
    const hash = keccak256(value)
    for (let pair = 0; pair < 6; pair += 2) {
      const bit = (((hash[pair] as number) & 7) << 8) | (hash[pair + 1] as number)
      bloomBits[6 * index + pair] = 255 - (bit >> 3)
      bloomBits[6 * index + pair + 1] = 1 << (bit & 7)
    }
  })
  return { hexes: new Set(values.map(toBareHex)), bloomBits }
}

const mayHoldAny = (bloom: Uint8Array, { bloomBits }: ValueSet): boolean => {
  for (let value = 0; value < bloomBits.length; value += 6) {
    let bits = 0
    while (
      bits < 6 &&
      ((bloom[bloomBits[value + bits] as number] as number) & (bloomBits[value + bits + 1] as number)) !== 0
    )
      bits += 2
    if (bits === 6) return true
  }
  return false
}

/** False when no log behind the bloom can be wanted. */
export const bloomMayMatch = (bloom: Uint8Array, { addresses, topics }: LogCriteria): boolean =>
  topics.length <= TOPICS_MAX &&
  (addresses === undefined || mayHoldAny(bloom, addresses)) &&
  topics.every(topic => topic === undefined || mayHoldAny(bloom, topic))

export const logMatches = (log: Log, { addresses, topics }: LogCriteria): boolean => {
  if (topics.length > log.topics.length) return false
  if (addresses !== undefined && !addresses.hexes.has(toBareHex(log.address))) return false
  return topics.every(
    (set, index) => set === undefined || set.hexes.has(toBareHex(log.topics[index] as Hash)),
  )
}

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
    addresses: addresses.length === 0 ? undefined : valueSet(addresses),
    topics: positions.map(position => (position.length === 0 ? undefined : valueSet(position))),
    range:
      hash === undefined
        ? { kind: 'range', from: readBound(fromBlock), to: readBound(toBlock) }
        : { kind: 'block', hash: required(hashOf(hash), 'INVALID_FILTER') },
  }
}
