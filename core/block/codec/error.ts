import { RlpError } from '../../rlp/rlp.ts'
import type { Steps } from '../../steps.ts'

export type DecodeErrorCode =
  | 'INVALID_TRANSACTION'
  | 'INVALID_HEADER'
  | 'INVALID_BLOCK'
  | 'INVALID_RECEIPT'
  | 'INVALID_EXTRA_DATA'
  | 'INVALID_MESSAGE'

/** Received bytes that cannot be decoded; the message names the field. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
  readonly code: DecodeErrorCode
  constructor(code: DecodeErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

/** Runs a decoder and turns its errors into a DecodeError whose message starts with `where`. */
export const withDecodeErrors = <T>(code: DecodeErrorCode, where: string, decode: () => T): T => {
  try {
    return decode()
  } catch (error) {
    if (error instanceof RlpError || error instanceof DecodeError)
      throw new DecodeError(code, `${where}: ${error.message}`, { cause: error })
    throw error
  }
}

/** As `withDecodeErrors`, for decoding in steps. */
export function* withDecodeErrorsSteps<T>(code: DecodeErrorCode, where: string, steps: Steps<T>): Steps<T> {
  for (;;) {
    const { done, value } = withDecodeErrors(code, where, () => steps.next())
    if (done === true) return value
    yield
  }
}
