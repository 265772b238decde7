import { createCache } from '../../../core/store/cache.ts'
import { type Answer, type AnswerReader, NOTHING } from './answerBuffer.ts'
import { decodePruned } from './pruned.ts'
import type { StoreRequest, FromCallWorker } from './protocol.ts'

/** Maximum bytes of answers cached by a call worker. */
const ANSWERS_BYTES_MAX = 16 * 1024 * 1024

/** Requests data from the store server on the main thread and blocks until it answers. */
export type StoreClient = {
  /** Undefined if the store has no such data. @throws HeadMoved, HistoryPruned, StoreRequestFailed */
  readonly request: (request: StoreRequest) => Uint8Array | undefined
  /** The same, cached under the key: for data that never changes or whose key is forgotten on change. */
  readonly requestCached: (key: string, request: StoreRequest) => Uint8Array | undefined
  /** Removes the cached answer of this key. */
  readonly forget: (key: string) => void
  /** Removes all cached answers. */
  readonly forgetAll: () => void
}

const decoder = new TextDecoder()

export const createStoreClient = (
  answers: AnswerReader,
  post: (message: FromCallWorker) => void,
): StoreClient => {
  const newCache = () => createCache<Answer>(ANSWERS_BYTES_MAX, ({ bytes }) => bytes.length)
  let kept = newCache()
  const askForMore = (): void => post({ kind: 'more' })

  const wait = (request: StoreRequest): Answer => {
    post({ kind: 'request', request })
    const answer = answers.wait(askForMore)
    if (answer.kind === 'moved') throw new HeadMoved(answer.bytes)
    if (answer.kind === 'pruned') throw decodePruned(answer.bytes)
    if (answer.kind === 'failed') throw new StoreRequestFailed(request.kind, decoder.decode(answer.bytes))
    return answer
  }
  const bytesOf = ({ kind, bytes }: Answer): Uint8Array | undefined => (kind === 'found' ? bytes : undefined)

  return {
    request: request => bytesOf(wait(request)),
    requestCached: (key, request) => {
      const known = kept.get(key)
      if (known !== undefined) return bytesOf(known)
      const answer = wait(request)
      kept.set(key, answer.kind === 'nothing' ? NOTHING : answer)
      return bytesOf(answer)
    },
    forget: key => kept.delete(key),
    forgetAll: () => {
      kept = newCache()
    },
  }
}

/** The head of the chain is no longer the one of the request. */
export class HeadMoved extends Error {
  override readonly name = 'HeadMoved'
  readonly code = 'HEAD_MOVED'
  /** encodeChainHead of the new head. */
  readonly head: Uint8Array
  constructor(head: Uint8Array) {
    super('the chain has a new head')
    this.head = head
  }
}

/** The store on the main thread failed to read the requested data. */
class StoreRequestFailed extends Error {
  override readonly name = 'StoreRequestFailed'
  readonly code = 'STORE_REQUEST_FAILED'
  constructor(what: string, reason: string) {
    super(`the ${what} could not be read: ${reason}`)
  }
}
