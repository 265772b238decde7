import { DecodeError, withDecodeErrors, withDecodeErrorsSteps } from '../../block/codec/error.ts'
import type { Steps } from '../../steps.ts'
import { drop, type Origin, type TransitionContext } from '../transitionContext.ts'

const dropUndecodable = (context: TransitionContext, origin: Origin, error: unknown): void => {
  if (!(error instanceof DecodeError)) throw error
  drop(context, 'undecodable', origin, error.message)
}

/** Returns the result of `read`; drops the message and returns undefined when it cannot be decoded. */
export const decoded = <T>(context: TransitionContext, origin: Origin, read: () => T): T | undefined => {
  try {
    return withDecodeErrors('INVALID_MESSAGE', 'message', read)
  } catch (error) {
    dropUndecodable(context, origin, error)
    return undefined
  }
}

/** As `decoded`, for decoding in steps. */
export function* decodedSteps<T>(
  context: TransitionContext,
  origin: Origin,
  steps: Steps<T>,
): Steps<T | undefined> {
  try {
    return yield* withDecodeErrorsSteps('INVALID_MESSAGE', 'message', steps)
  } catch (error) {
    dropUndecodable(context, origin, error)
    return undefined
  }
}
