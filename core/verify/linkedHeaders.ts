import { equalBytes } from '../bytes/bytes.ts'
import { blockHash } from '../block/codec/blockHash.ts'
import { DecodeError } from '../block/codec/error.ts'
import type { Header } from '../block/header.ts'
import { NotProved } from './notProved.ts'

/** Reads headers by number from an untrusted source; undefined for headers that it does not have. */
export type ReadHeaders = (numbers: readonly number[]) => Promise<readonly (Header | undefined)[]>

/** @throws NotProved when the source does not have the header, or answers with another number */
export const readHeader = async (read: ReadHeaders, number: number): Promise<Header> => {
  const [header] = await read([number])
  if (header === undefined || header.number !== BigInt(number))
    throw new NotProved(`header ${number}`, 'the source does not have it')
  return header
}

/** Headers that are read and verified in one step. */
const STEP_HEADERS = 64

/** Most headers between a trusted header and its ancestor: some seconds of reading and hashing, and 50 MB. */
const LINK_HEADERS_MAX = 32_768

type Consensus = Parameters<typeof blockHash>[0]

/** The ancestors of a trusted header, each proved by the parent hash in its child. */
export type LinkedHeaders = {
  /** @throws NotProved when the source has another header or no header, or the distance exceeds LINK_HEADERS_MAX */
  readonly header: (number: bigint) => Promise<Header>
}

/** The hash of an untrusted header; undefined where its extra data cannot be decoded. */
export const untrustedHash = (consensus: Consensus, header: Header): Uint8Array | undefined => {
  try {
    return blockHash(consensus, header)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/**
 * @param anchor a trusted header
 * @param onLinked called with each header whose hash was proved
 */
export const createLinkedHeaders = (
  consensus: Consensus,
  anchor: Header,
  read: ReadHeaders,
  onLinked?: (header: Header) => void,
): LinkedHeaders => {
  const last = Number(anchor.number)
  const known = new Map<number, Header>([[last, anchor]])
  let lowest = anchor
  const extendTo = async (number: number): Promise<void> => {
    while (Number(lowest.number) > number) {
      const from = Number(lowest.number)
      const first = Math.max(number, from - STEP_HEADERS)
      const numbers = Array.from({ length: from - first }, (_, index) => first + index)
      const headers = await read(numbers)
      for (let at = headers.length - 1; at >= 0; at--) {
        const header = headers[at]
        const hash = header === undefined ? undefined : untrustedHash(consensus, header)
        if (header === undefined || hash === undefined || !equalBytes(hash, lowest.parentHash))
          throw new NotProved(`header ${numbers[at]}`, 'it is not the parent of the one after it')
        known.set(Number(header.number), header)
        onLinked?.(header)
        lowest = header
      }
    }
  }
  return {
    header: async number => {
      const wanted = Number(number)
      if (number < 0n || wanted > last) throw new NotProved(`header ${number}`, `it is above block ${last}`)
      if (last - wanted > LINK_HEADERS_MAX)
        throw new NotProved(
          `header ${number}`,
          `it is more than ${LINK_HEADERS_MAX} blocks before block ${last}`,
        )
      await extendTo(wanted)
      return known.get(wanted) as Header
    },
  }
}
