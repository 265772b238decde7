import { mayBeUnwritten, withWrittenExtraData } from '../../block/codec/writtenExtraData.ts'
import { iterateRawItems, rawString } from '../../rlp/rawItem.ts'
import {
  encodeSegment,
  openSegment,
  SEGMENT_VERSION,
  segmentChanges,
  segmentRecord,
  type Segment,
} from './segment.ts'

const EXTRA_DATA = 12

/** The extraData in the RLP of a block, without decoding anything else. @throws RlpError */
const extraDataOf = ({ block }: Segment): Uint8Array | undefined => {
  const [header] = iterateRawItems(block, 'a block')
  let index = 0
  for (const item of iterateRawItems(header, 'a header'))
    if (index++ === EXTRA_DATA) return rawString(item, 'extraData')
  return undefined
}

/**
 * The segment as this release writes it. Earlier ones stored in the extraData of a block what no hash covers, and what their
 * peers had added to it would be sent on. Costs a microsecond for a segment that need not be changed, which is returned as it is.
 * @throws MalformedRecord, RlpError, DecodeError
 */
export const writtenSegment = (bytes: Uint8Array): Uint8Array => {
  if (bytes[0] !== SEGMENT_VERSION) return bytes
  const segment = openSegment(bytes)
  const extraData = extraDataOf(segment)
  if (extraData === undefined || !mayBeUnwritten(extraData)) return bytes
  const record = segmentRecord(segment)
  const header = withWrittenExtraData(record.block.header)
  if (header === record.block.header) return bytes
  return encodeSegment({
    ...record,
    block: { ...record.block, header },
    changes: segmentChanges(segment),
    nodes: [],
  })
}
