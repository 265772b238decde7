import type { RawItem } from '../../../core/rlp/rawItem.ts'
import { NetworkError } from '../../error.ts'
import { openWithId } from './requests.ts'

/** Requests that one peer has to answer at a time: Besu keeps five open, too. */
const OPEN_MAX = 16
/** Both clients answer within a second or two; a late answer is ignored. */
const ANSWER_MS = 10_000

type Open = {
  readonly answerCode: number
  readonly resolve: (content: RawItem) => void
  readonly reject: (error: Error) => void
}

/** The requests sent over one connection that are not answered. */
export type PendingRequests = {
  /**
   * Sends what `send` makes of a new request id, and resolves with the encoded content of the answer.
   * @throws NetworkError when too many are open, none answers in time, or the connection ends
   */
  ask(answerCode: number, send: (id: bigint) => boolean, signal?: AbortSignal): Promise<RawItem>
  /** An answer arrived. One that nobody waits for is ignored: it may be late. @throws RlpError */
  answered(code: number, payload: Uint8Array): void
  /** Fails all: the connection has ended. */
  fail(reason: string): void
}

export const createPendingRequests = (): PendingRequests => {
  const open = new Map<bigint, Open>()
  // Some clients cannot write 0.
  let nextId = 1n
  return {
    ask: async (answerCode, send, signal) => {
      if (open.size >= OPEN_MAX) throw new NetworkError('TIMEOUT', `${OPEN_MAX} requests are not answered`)
      const id = nextId++
      const { promise, resolve, reject } = Promise.withResolvers<RawItem>()
      const timer = setTimeout(
        () => reject(new NetworkError('TIMEOUT', `no answer within ${ANSWER_MS / 1000} s`)),
        ANSWER_MS,
      )
      const abort = (): void => reject(new NetworkError('NOT_CONNECTED', 'the request was cancelled'))
      signal?.addEventListener('abort', abort, { once: true })
      open.set(id, { answerCode, resolve, reject })
      try {
        if (signal?.aborted === true) abort()
        else if (!send(id)) reject(new NetworkError('TIMEOUT', 'the peer does not read'))
        return await promise
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        open.delete(id)
      }
    },
    answered: (code, payload) => {
      const { id, content } = openWithId(payload)
      const request = open.get(id)
      if (request?.answerCode === code) request.resolve(content)
    },
    fail: reason => {
      for (const { reject } of open.values()) reject(new NetworkError('NOT_CONNECTED', reason))
      open.clear()
    },
  }
}
