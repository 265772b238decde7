import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { decodeHeader } from '../../../core/block/codec/header.ts'
import { blockHash } from '../../../core/block/codec/blockHash.ts'
import type { Consensus } from '../../../core/genesis/configuration.ts'
import { orderedTrieRoot } from '../../../core/trie/ordered.ts'
import { iterateRawItems, type RawItem, rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { NetworkError } from '../../error.ts'
import { emptyBodyOf, type HeaderFields, joinBlock, readHeaderFields } from './blocks.ts'
import { ETH } from '../ethCodes.ts'
import { type EthPeer, sendEth } from './ethPeer.ts'
import { encodeHashes, encodeHeadersQuery } from './requests.ts'
import type { HeadersQuery } from '../../network.ts'

/** Headers of one request, as Besu asks for them. */
const HEADERS_AT_ONCE = 192
/** Bodies of one request, as Besu serves them. */
const BODIES_AT_ONCE = 128
/** A header with the seals of a thousand validators has half of it. */
const HEADER_BYTES_MAX = 128 * 1024
/** Blocks that `requestBlocks` gives at most. */
const BLOCKS_MAX = 1024

/** A header with what is needed to find its body. */
export type FetchedHeader = HeaderFields & { readonly raw: RawItem; readonly hash: Hash }

type HashOf = Pick<Consensus, 'kind'>

/** The encoded headers that answer a query. @throws NetworkError, RlpError */
export const requestHeaders = async (
  peer: EthPeer,
  query: HeadersQuery,
  signal?: AbortSignal,
): Promise<readonly RawItem[]> => {
  const content = await peer.requests.ask(
    ETH.blockHeaders,
    id => sendEth(peer, ETH.getBlockHeaders, encodeHeadersQuery(id, query)),
    { bytesMax: 16 + query.count * HEADER_BYTES_MAX, signal },
  )
  return rawItems(content, 'headers', 0, query.count)
}

/** The hash of an encoded header under the chain's consensus. @throws DecodeError */
export const headerHash = (consensus: HashOf, raw: RawItem): Hash => blockHash(consensus, decodeHeader(raw))

/**
 * Headers of consecutive numbers with their hashes. Each names the hash of the one before it, so that one has to be computed.
 * @throws NetworkError when they are not consecutive
 */
const hashHeaders = (consensus: HashOf, from: bigint, headers: readonly RawItem[]): FetchedHeader[] => {
  const fields = headers.map(readHeaderFields)
  return headers.map((raw, index) => {
    const own = fields[index] as HeaderFields
    if (own.number !== from + BigInt(index))
      throw new NetworkError('BAD_MESSAGE', `header ${own.number} in place of header ${from + BigInt(index)}`)
    return { ...own, raw, hash: fields[index + 1]?.parentHash ?? headerHash(consensus, raw) }
  })
}

const transactionBytes = (item: RawItem): Uint8Array =>
  (item[0] as number) >= 0xc0 ? item : rawString(item, 'a transaction')

const isBodyOf = ({ transactionsRoot }: FetchedHeader, body: RawItem): boolean => {
  const [transactions] = rawItems(body, 'a body', 2, 3)
  const items = [...iterateRawItems(transactions, 'the transactions of a body')]
  return equalBytes(orderedTrieRoot(items.map(transactionBytes)), transactionsRoot)
}

/**
 * The bodies of headers, in their order. An answer may end early, and leaves out those that the peer does not know: when the
 * last body is that of the header at its place, none was left out. Importing checks each.
 */
const requestBodies = async (
  peer: EthPeer,
  headers: readonly FetchedHeader[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<FetchedHeader, RawItem>> => {
  const hashes = headers.map(({ hash }) => hash)
  const content = await peer.requests.ask(
    ETH.blockBodies,
    id => sendEth(peer, ETH.getBlockBodies, encodeHashes(id, hashes)),
    { signal },
  )
  const bodies = rawItems(content, 'bodies', 0, headers.length)
  const found = new Map<FetchedHeader, RawItem>()
  const [last, lastHeader] = [bodies.at(-1), headers[bodies.length - 1]]
  const isComplete =
    bodies.length === headers.length ||
    (last !== undefined && lastHeader !== undefined && isBodyOf(lastHeader, last))
  let next = 0
  for (const header of headers) {
    const body = bodies[next]
    if (body === undefined) break
    if (!isComplete && !isBodyOf(header, body)) continue
    found.set(header, body)
    next++
  }
  return found
}

/** Yields the blocks of these headers, up to the first one whose body the peer does not deliver. */
async function* joinBodies(
  peer: EthPeer,
  headers: readonly FetchedHeader[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, boolean, undefined> {
  for (let at = 0; at < headers.length; ) {
    const part = headers.slice(at, at + BODIES_AT_ONCE)
    const wanted = part.filter(header => emptyBodyOf(header) === undefined)
    const bodies = wanted.length === 0 ? new Map() : await requestBodies(peer, wanted, signal)
    let joined = 0
    for (const header of part) {
      const body: RawItem | undefined = emptyBodyOf(header) ?? bodies.get(header)
      if (body === undefined) break
      yield joinBlock(header.raw, body)
      joined++
    }
    if (joined === 0) return false
    at += joined
  }
  return true
}

/**
 * Yields up to `count` block RLPs from `from` on, in ascending order.
 * @throws NetworkError, RlpError, DecodeError
 */
export async function* requestBlockRange(
  peer: EthPeer,
  consensus: HashOf,
  from: bigint,
  count: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const end = from + BigInt(Math.min(count, BLOCKS_MAX))
  const ask = (start: bigint): Promise<readonly RawItem[]> =>
    requestHeaders(
      peer,
      {
        start: { number: start },
        count: Math.min(HEADERS_AT_ONCE, Number(end - start)),
        skip: 0n,
        reverse: false,
      },
      signal,
    )
  let asked = ask(from)
  for (let next = from; next < end; ) {
    const headers = hashHeaders(consensus, next, await asked)
    if (headers.length === 0) return
    next += BigInt(headers.length)
    // The next headers arrive while the bodies do.
    asked = next < end ? ask(next) : Promise.resolve([])
    asked.catch(() => undefined)
    if (!(yield* joinBodies(peer, headers, signal))) return
  }
}

/** The block RLP with this hash; undefined when the peer does not deliver it. @throws NetworkError, RlpError, DecodeError */
export const requestBlock = async (
  peer: EthPeer,
  consensus: HashOf,
  hash: Hash,
): Promise<Uint8Array | undefined> => {
  const query: HeadersQuery = { start: { hash }, count: 1, skip: 0n, reverse: false }
  const [raw] = await requestHeaders(peer, query, peer.controller.signal)
  if (raw === undefined) return undefined
  if (!equalBytes(headerHash(consensus, raw), hash))
    throw new NetworkError('BAD_MESSAGE', 'a header with another hash than the one asked for')
  const header = { ...readHeaderFields(raw), raw, hash }
  const body =
    emptyBodyOf(header) ?? (await requestBodies(peer, [header], peer.controller.signal)).get(header)
  return body === undefined ? undefined : joinBlock(raw, body)
}
