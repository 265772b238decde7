import { setBounded } from '../../../core/collections/boundedMap.ts'
import type { RawItem } from '../../../core/rlp/rawItem.ts'
import { NetworkError } from '../../error.ts'
import { ETH_MESSAGE_BYTES_MAX } from '../session/messageLimits.ts'
import type { Expected } from '../session/session.ts'
import { openWithId } from './requests.ts'

/** Requests that one peer has to answer at a time: Besu keeps five open, too. */
const OPEN_MAX = 16
/** Requests that ended without an answer, which may still come: cancelled ones, and those of a slow peer. */
const LATE_MAX = 256
/** Both clients answer within a second or two; a late answer is ignored. */
const ANSWER_MS = 10_000

type Open = {
  readonly answerCode: number
  readonly bytesMax: number
  readonly resolve: (content: RawItem) => void
  readonly reject: (error: Error) => void
}

/** Limits of an answer. */
export type AskOptions = {
  /** Bytes of the longest answer, inflated; as long as any message if undefined. */
  readonly bytesMax?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The requests sent over one connection that are not answered. */
export type PendingRequests = {
  /**
   * Sends what `send` makes of a new request id, and resolves with the encoded content of the answer.
   * @throws NetworkError when too many are open, none answers in time, or the connection ends
   */
  ask(answerCode: number, send: (id: bigint) => boolean, options?: AskOptions): Promise<RawItem>
  /** To be called once for each answer, before it is inflated. */
  expects(code: number, id: bigint): Expected
  /** An answer arrived. One that nobody waits for is ignored: it may be late. @throws RlpError */
  answered(code: number, payload: Uint8Array): void
  /** Fails all: the connection has ended. */
  fail(reason: string): void
}

export const createPendingRequests = (): PendingRequests => {
  const open = new Map<bigint, Open>()
  /** By id, the code of the answer. */
  const late = new Map<bigint, number>()
  // Some clients cannot write 0.
  let nextId = 1n
  return {
    ask: async (answerCode, send, { bytesMax = ETH_MESSAGE_BYTES_MAX, signal } = {}) => {
      if (open.size >= OPEN_MAX) throw new NetworkError('TIMEOUT', `${OPEN_MAX} requests are not answered`)
      const id = nextId++
      const { promise, resolve, reject } = Promise.withResolvers<RawItem>()
      const timer = setTimeout(
        () => reject(new NetworkError('TIMEOUT', `no answer within ${ANSWER_MS / 1000} s`)),
        ANSWER_MS,
      )
      const abort = (): void => reject(new NetworkError('NOT_CONNECTED', 'the request was cancelled'))
      signal?.addEventListener('abort', abort, { once: true })
      open.set(id, { answerCode, bytesMax, resolve, reject })
      try {
        if (signal?.aborted === true) abort()
        else if (!send(id)) reject(new NetworkError('TIMEOUT', 'the peer does not read'))
        return await promise
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        if (open.delete(id)) setBounded(late, id, answerCode, LATE_MAX)
      }
    },
    expects: (code, id) => {
      const request = open.get(id)
      if (request?.answerCode === code) return { kind: 'asked', bytesMax: request.bytesMax }
      const isLate = late.get(id) === code && late.delete(id)
      return { kind: isLate ? 'late' : 'unasked' }
    },
    answered: (code, payload) => {
      const { id, content } = openWithId(payload)
      const request = open.get(id)
      if (request?.answerCode !== code) return
      // A second answer is one that nobody asked for.
      open.delete(id)
      request.resolve(content)
    },
    fail: reason => {
      for (const { reject } of open.values()) reject(new NetworkError('NOT_CONNECTED', reason))
      open.clear()
    },
  }
}
