import type { Hash } from '../../../core/bytes/bytes.ts'
import { joinRlpList } from '../../../core/rlp/list.ts'
import { iterateRawItems, type RawItem, rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, RlpError, rlpBytes, rlpScalar } from '../../../core/rlp/rlp.ts'
import type { HeadersQuery } from '../../network.ts'

/** Request ids have 64 bits. */
const ID_BYTES_MAX = 8
/** A query for more is answered with the first ones. */
const COUNT_MAX = 1_000_000

const idOf = (item: RawItem | undefined): bigint =>
  rlpScalar(rawString(item, 'a request id'), 'a request id', ID_BYTES_MAX)

/** The id of a request or an answer, and what follows it, encoded. @throws RlpError */
export const openWithId = (payload: Uint8Array): { readonly id: bigint; readonly content: RawItem } => {
  const [id, content] = rawItems(payload, 'a message with a request id', 2) as [RawItem, RawItem]
  return { id: idOf(id), content }
}

/** `[id, [item…]]`, the items encoded. */
export const encodeWithId = (id: bigint, items: readonly Uint8Array[]): Uint8Array =>
  joinRlpList([encodeRlp(id), joinRlpList(items)])

export const encodeHeadersQuery = (id: bigint, { start, count, skip, reverse }: HeadersQuery): Uint8Array =>
  encodeRlp([id, ['hash' in start ? start.hash : start.number, count, skip, reverse ? 1 : 0]])

const rlpFlag = (bytes: Uint8Array): boolean => {
  const flag = rlpScalar(bytes, 'the direction', 1)
  if (flag > 1n) throw new RlpError('the direction must be 0 or 1')
  return flag === 1n
}

/** @throws RlpError */
export const decodeHeadersQuery = (content: RawItem): HeadersQuery => {
  const [start, count, skip, reverse] = rawItems(content, 'a query for headers', 4)
  const origin = rawString(start, 'the first header')
  const amount = rlpScalar(rawString(count, 'the amount'), 'the amount of headers', 8)
  return {
    start:
      origin.length === 32
        ? { hash: origin.slice() }
        : { number: rlpScalar(origin, 'the number of the first header', 8) },
    count: Number(amount > BigInt(COUNT_MAX) ? BigInt(COUNT_MAX) : amount),
    skip: rlpScalar(rawString(skip, 'the distance'), 'the distance of headers', 8),
    reverse: rlpFlag(rawString(reverse, 'the direction')),
  }
}

export const encodeHashes = (id: bigint, hashes: readonly Hash[]): Uint8Array => encodeRlp([id, hashes])

/** Hashes of a list, up to `most` of them; further ones are ignored, as both clients do. @throws RlpError */
export const decodeHashes = (content: RawItem, most: number): readonly Hash[] => {
  const hashes: Hash[] = []
  for (const item of iterateRawItems(content, 'a list of hashes')) {
    if (hashes.length === most) break
    hashes.push(rlpBytes(rawString(item, 'a hash'), 'a hash', 32).slice())
  }
  return hashes
}
