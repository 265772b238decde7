import { createCache } from '../../../core/store/cache.ts'
import { type Answer, type AnswerReader, NOTHING } from './answerBuffer.ts'
import type { Ask, FromReader } from './protocol.ts'

/** Bytes of answers that a reader keeps. */
const ANSWERS_BYTES_MAX = 16 * 1024 * 1024

/** Asks the main thread and waits for what it says. */
export type Asker = {
  /** Undefined where there is none. @throws HeadMoved, AskFailed */
  readonly ask: (ask: Ask) => Uint8Array | undefined
  /** The same, and remembers the answer under the key: for what stays as it is, or is forgotten when it changes. */
  readonly askOnce: (key: string, ask: Ask) => Uint8Array | undefined
  /** The answer under this key is out of date. */
  readonly forget: (key: string) => void
}

const decoder = new TextDecoder()

export const createAsker = (answers: AnswerReader, post: (message: FromReader) => void): Asker => {
  const kept = createCache<Answer>(ANSWERS_BYTES_MAX, ({ bytes }) => bytes.length)
  const askForMore = (): void => post({ kind: 'more' })

  const wait = (ask: Ask): Answer => {
    post({ kind: 'ask', ask })
    const answer = answers.wait(askForMore)
    if (answer.kind === 'moved') throw new HeadMoved(answer.bytes)
    if (answer.kind === 'failed') throw new AskFailed(ask.kind, decoder.decode(answer.bytes))
    return answer
  }
  const bytesOf = ({ kind, bytes }: Answer): Uint8Array | undefined => (kind === 'found' ? bytes : undefined)

  return {
    ask: ask => bytesOf(wait(ask)),
    askOnce: (key, ask) => {
      const known = kept.get(key)
      if (known !== undefined) return bytesOf(known)
      const answer = wait(ask)
      kept.set(key, answer.kind === 'nothing' ? NOTHING : answer)
      return bytesOf(answer)
    },
    forget: key => kept.delete(key),
  }
}

/** The chain has another head than the question was about. */
export class HeadMoved extends Error {
  override readonly name = 'HeadMoved'
  readonly code = 'HEAD_MOVED'
  /** encodeChainHead of the new one. */
  readonly head: Uint8Array
  constructor(head: Uint8Array) {
    super('the chain has a new head')
    this.head = head
  }
}

/** The main thread could not read what was asked for; its store says why. */
class AskFailed extends Error {
  override readonly name = 'AskFailed'
  readonly code = 'ASK_FAILED'
  constructor(what: string, reason: string) {
    super(`the ${what} could not be read: ${reason}`)
  }
}
