import { NetworkError } from '../error.ts'

/** A request for consecutive blocks or records: the number of the first (8 bytes), and how many (2 bytes). */
export type RangeRequest = { readonly from: bigint; readonly count: number }

export const RANGE_REQUEST_BYTES = 10

export const encodeRangeRequest = ({ from, count }: RangeRequest): Uint8Array => {
  const request = new Uint8Array(RANGE_REQUEST_BYTES)
  const view = new DataView(request.buffer)
  view.setBigUint64(0, from)
  view.setUint16(8, count)
  return request
}

/** @throws NetworkError for a request of another length */
export const decodeRangeRequest = (request: Uint8Array): RangeRequest => {
  if (request.length !== RANGE_REQUEST_BYTES)
    throw new NetworkError('BAD_MESSAGE', `a range request of ${request.length} bytes`)
  const view = new DataView(request.buffer, request.byteOffset, request.byteLength)
  return { from: view.getBigUint64(0), count: view.getUint16(8) }
}
