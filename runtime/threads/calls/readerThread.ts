import { Worker } from 'node:worker_threads'
import type { Chain } from '../../../core/chain/chain.ts'
import type { Outcome } from '../../../handlers/rpc/dispatch/envelope.ts'
import { answerAsk } from './answerAsk.ts'
import { createAnswerBuffer, createAnswerWriter } from './answerBuffer.ts'
import { createPinnedTrie } from './pinnedTrie.ts'
import { unpackPieces } from './packed.ts'
import type { FromReader, ReaderCall, ReaderOutcome, ReaderSetup } from './protocol.ts'

/** Heap of one reader, where the runtime bounds it (Node): the largest trace is 128 MB of JSON. */
const HEAP_MB_MAX = 1024

/** A thread that runs calls, one at a time. */
export type ReaderThread = {
  /** Gives it a call; the process stays alive until the outcome is here. */
  readonly send: (call: ReaderCall) => void
  /** Nobody waits for that call any more: it ends at the next look. */
  readonly end: (call: number) => void
  /** Nothing is under way: the thread no longer keeps the process alive. */
  readonly rest: () => void
  readonly stop: () => Promise<void>
}

export type ReaderThreadEvents = {
  readonly onReady: () => void
  readonly onOutcome: (id: number, outcome: Outcome) => void
  readonly onFault: (method: string, text: string) => void
  /** The thread could not start or has died; nothing more comes from it. Called at most once. */
  readonly onFailure: (cause: unknown) => void
}

const outcomeOf = (outcome: ReaderOutcome): Outcome =>
  'packed' in outcome ? { result: unpackPieces(outcome.packed) } : outcome

/** Starts a thread, which by itself never keeps the process alive, and answers what it asks. @throws where there are none */
export const startReaderThread = (
  chain: Chain,
  setup: Omit<ReaderSetup, 'buffer'>,
  events: ReaderThreadEvents,
): ReaderThread => {
  const buffer = createAnswerBuffer()
  const answers = createAnswerWriter(buffer)
  const trie = createPinnedTrie(chain)
  let ended = false
  const fail = (cause: unknown): void => {
    if (ended) return
    ended = true
    trie.release()
    answers.stop()
    events.onFailure(cause)
  }
  const workerData: ReaderSetup = { ...setup, buffer }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  worker.on('message', (message: FromReader) => {
    if (ended) return
    switch (message.kind) {
      case 'ask':
        // Never rejects.
        void answerAsk(chain, trie, message.ask).then(answers.write)
        return
      case 'more':
        answers.writeMore()
        return
      case 'outcome':
        trie.release()
        events.onOutcome(message.id, outcomeOf(message.outcome))
        return
      case 'fault':
        events.onFault(message.method, message.text)
        return
      case 'ready':
        events.onReady()
    }
  })
  worker.on('error', fail)
  worker.on('messageerror', fail)
  worker.on('exit', code => fail(new Error(`the thread ended with code ${code}`)))
  worker.unref()
  return {
    send: call => {
      worker.ref()
      worker.postMessage(call, [])
    },
    end: answers.end,
    rest: () => worker.unref(),
    stop: async () => {
      ended = true
      trie.release()
      // A thread that waits or computes is not ended from outside on every runtime; it ends itself.
      answers.stop()
      await worker.terminate()
    },
  }
}
