import type { Hash } from '../../../core/bytes/bytes.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { iterateRawItems, type RawItem, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, type RlpInput, RlpError, rlpBytes } from '../../../core/rlp/rlp.ts'
import { type Endpoint, endpointItem, readEndpoint } from './endpoint.ts'

/** Types of packets (discv4.md, with those of EIP-868). */
export const PACKET_TYPES = {
  ping: 1,
  pong: 2,
  findNode: 3,
  neighbors: 4,
  enrRequest: 5,
  enrResponse: 6,
} as const

export type NodeRecord = { readonly endpoint: Endpoint; readonly publicKey: Uint8Array }

/** The content of a packet. Times are in seconds since 1970. */
export type Message =
  | {
      readonly kind: 'ping'
      readonly from: Endpoint
      readonly to: Endpoint
      readonly expiry: number
      readonly recordSequence: bigint
    }
  | {
      readonly kind: 'pong'
      readonly to: Endpoint
      readonly pingHash: Hash
      readonly expiry: number
      readonly recordSequence: bigint
    }
  | { readonly kind: 'findNode'; readonly target: Uint8Array; readonly expiry: number }
  | { readonly kind: 'neighbors'; readonly nodes: readonly NodeRecord[]; readonly expiry: number }
  | { readonly kind: 'enrRequest'; readonly expiry: number }
  | { readonly kind: 'enrResponse'; readonly requestHash: Hash; readonly record: RawItem }

/** Nodes of one answer that fit a packet, with IPv6 addresses, too. */
export const NEIGHBORS_MAX = 12
const VERSION = 4
/** No packet has room for more nodes. */
const NEIGHBORS_READ = 16
/** Items that are read of any message; later versions may have more (EIP-8). */
const ITEMS_MAX = 5

const neighborItem = ({ endpoint, publicKey }: NodeRecord): RlpInput => [...endpointItem(endpoint), publicKey]

const contentOf = (message: Exclude<Message, { kind: 'enrResponse' }>): RlpInput => {
  switch (message.kind) {
    case 'ping':
      return [
        VERSION,
        endpointItem(message.from),
        endpointItem(message.to),
        message.expiry,
        message.recordSequence,
      ]
    case 'pong':
      return [endpointItem(message.to), message.pingHash, message.expiry, message.recordSequence]
    case 'findNode':
      return [message.target, message.expiry]
    case 'neighbors':
      return [message.nodes.slice(0, NEIGHBORS_MAX).map(neighborItem), message.expiry]
    case 'enrRequest':
      return [message.expiry]
  }
}

export const encodeMessage = (
  message: Exclude<Message, { kind: 'enrResponse' }>,
): { readonly type: number; readonly content: Uint8Array } => ({
  type: PACKET_TYPES[message.kind],
  content: encodeRlp(contentOf(message)),
})

const itemsOf = (content: RawItem, count: number): RawItem[] => {
  const items: RawItem[] = []
  for (const item of iterateRawItems(content, 'a message of discovery')) {
    if (items.length === ITEMS_MAX) break
    items.push(item)
  }
  if (items.length < count) throw new RlpError(`a message of discovery with ${items.length} items`)
  return items
}

const bytesOf = (item: RawItem | undefined, what: string, length: number): Uint8Array =>
  rlpBytes(rawString(item, what), what, length).slice()

/** Seconds are signed numbers of 64 bits, as other clients read them: what exceeds them is in the past. */
const EXPIRY_MAX = 2n ** 63n - 1n

const expiryOf = (item: RawItem | undefined): number => {
  // Leading zeros are taken, as other clients do.
  const seconds = bytesToBigint(rawString(item, 'an expiry').subarray(0, 8))
  return seconds > EXPIRY_MAX ? 0 : Number(seconds)
}

const sequenceOf = (item: RawItem | undefined): bigint =>
  item === undefined ? 0n : bytesToBigint(rawString(item, 'a sequence number').subarray(0, 8))

const readNeighbors = (item: RawItem | undefined): readonly NodeRecord[] => {
  const nodes: NodeRecord[] = []
  for (const raw of iterateRawItems(item, 'neighbors')) {
    if (nodes.length === NEIGHBORS_READ) break
    const items = [...iterateRawItems(raw, 'a neighbor')]
    nodes.push({ endpoint: readEndpoint(items), publicKey: bytesOf(items[3], 'a node key', 64) })
  }
  return nodes
}

/** Undefined for a type of a later version. @throws RlpError */
export const decodeMessage = (type: number, content: RawItem): Message | undefined => {
  switch (type) {
    case PACKET_TYPES.ping: {
      const [, from, to, expiry, sequence] = itemsOf(content, 4)
      return {
        kind: 'ping',
        from: readEndpoint([...iterateRawItems(from, 'an endpoint')]),
        to: readEndpoint([...iterateRawItems(to, 'an endpoint')]),
        expiry: expiryOf(expiry),
        recordSequence: sequenceOf(sequence),
      }
    }
    case PACKET_TYPES.pong: {
      const [to, pingHash, expiry, sequence] = itemsOf(content, 3)
      return {
        kind: 'pong',
        to: readEndpoint([...iterateRawItems(to, 'an endpoint')]),
        pingHash: bytesOf(pingHash, 'a hash', 32),
        expiry: expiryOf(expiry),
        recordSequence: sequenceOf(sequence),
      }
    }
    case PACKET_TYPES.findNode: {
      const [target, expiry] = itemsOf(content, 2)
      return {
        kind: 'findNode',
        target: bytesOf(target, 'a target', 64),
        expiry: expiryOf(expiry),
      }
    }
    case PACKET_TYPES.neighbors: {
      const [nodes, expiry] = itemsOf(content, 2)
      return { kind: 'neighbors', nodes: readNeighbors(nodes), expiry: expiryOf(expiry) }
    }
    case PACKET_TYPES.enrRequest:
      return { kind: 'enrRequest', expiry: expiryOf(itemsOf(content, 1)[0]) }
    case PACKET_TYPES.enrResponse: {
      const [requestHash, record] = itemsOf(content, 2)
      return {
        kind: 'enrResponse',
        requestHash: bytesOf(requestHash, 'a hash', 32),
        record: record as RawItem,
      }
    }
    default:
      return undefined
  }
}
