import { connectionFailureReason } from '../files/reason.ts'
import { limitedBytes } from '../serving/limitedBytes.ts'

/** A container that takes longer counts as unhealthy. */
const TIMEOUT_MS = 5_000

/** An answer has some hundred bytes, and the reasons of a DOWN. */
const ANSWER_BYTES_MAX = 64 * 1024

/** Why an endpoint gave no answer, in words. */
export class EndpointSilent extends Error {
  override readonly name = 'EndpointSilent'
  readonly code = 'NO_ANSWER'
}

/** Calls a health endpoint once, and follows no redirection. @throws EndpointSilent, also for an answer that is too long */
export const getText = async (url: string): Promise<{ readonly status: number; readonly text: string }> => {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const bytes = await limitedBytes(response, ANSWER_BYTES_MAX)
    if (bytes !== undefined) return { status: response.status, text: new TextDecoder().decode(bytes) }
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === 'TimeoutError'
    throw new EndpointSilent(
      isLate ? `no answer came within ${TIMEOUT_MS / 1000} s` : connectionFailureReason(cause),
      { cause },
    )
  }
  throw new EndpointSilent(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`)
}
