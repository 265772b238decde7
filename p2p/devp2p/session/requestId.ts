import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { RlpError } from '../../../core/rlp/rlp.ts'

/** Request ids have 64 bits. */
const ID_BYTES_MAX = 8
/** First bytes in RLP: of a string, of a list, and of a list of 56 bytes or more, which its length follows. */
const STRING = 0x80
const SHORT_LIST = 0xc0
const LONG_LIST = 0xf8

/** The request id of a message of which only the first bytes are known. @throws RlpError */
export const requestIdOf = (start: Uint8Array): bigint => {
  const [prefix = 0] = start
  // The list itself is checked once it is complete.
  const at = prefix >= LONG_LIST ? 2 + prefix - LONG_LIST : 1
  const first = start[at]
  if (prefix < SHORT_LIST || first === undefined) throw new RlpError('an answer without a request id')
  if (first < STRING) return BigInt(first)
  const end = at + 1 + first - STRING
  if (first > STRING + ID_BYTES_MAX || end > start.length)
    throw new RlpError('a request id of more than 64 bits')
  return bytesToBigint(start.subarray(at + 1, end))
}
