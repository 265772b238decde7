import { DecodeError, decoding } from '../../chain/codec/error.ts'
import { drop, type Origin, type Turn } from '../turn.ts'

/** What `read` gives; undefined, and the message dropped, where its bytes are not what they should be. */
export const decoded = <T>(turn: Turn, origin: Origin, read: () => T): T | undefined => {
  try {
    return decoding('INVALID_MESSAGE', 'message', read)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    drop(turn, 'undecodable', origin, error.message)
    return undefined
  }
}
