import { DecodeError, decoding, decodingSteps } from '../../chain/codec/error.ts'
import type { Steps } from '../../steps.ts'
import { drop, type Origin, type Turn } from '../turn.ts'

const dropUndecodable = (turn: Turn, origin: Origin, error: unknown): void => {
  if (!(error instanceof DecodeError)) throw error
  drop(turn, 'undecodable', origin, error.message)
}

/** What `read` gives; undefined, and the message dropped, where its bytes are not what they should be. */
export const decoded = <T>(turn: Turn, origin: Origin, read: () => T): T | undefined => {
  try {
    return decoding('INVALID_MESSAGE', 'message', read)
  } catch (error) {
    dropUndecodable(turn, origin, error)
    return undefined
  }
}

/** The same of what is read in steps. */
export function* decodedSteps<T>(turn: Turn, origin: Origin, steps: Steps<T>): Steps<T | undefined> {
  try {
    return yield* decodingSteps('INVALID_MESSAGE', 'message', steps)
  } catch (error) {
    dropUndecodable(turn, origin, error)
    return undefined
  }
}
