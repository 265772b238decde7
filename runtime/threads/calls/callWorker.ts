import type { Chain } from '../../../core/chain/chain.ts'
import type { Outcome } from '../../../handlers/rpc/dispatch/envelope.ts'
import { startThread } from '../startThread.ts'
import { answerStoreRequest } from './storeServer.ts'
import { createAnswerBuffer, createAnswerWriter } from './answerBuffer.ts'
import { createPinnedTrie } from './pinnedTrie.ts'
import { restorePieces } from './compressedJson.ts'
import type { FromCallWorker, WorkerCall, WorkerOutcome, CallWorkerSetup } from './protocol.ts'

/** Heap limit of one call worker in MB: the largest trace is 128 MB of JSON. */
const HEAP_MB_MAX = 1024

/** A worker thread that runs RPC calls, one at a time. */
export type CallWorker = {
  /** Starts a call; the process stays alive until its outcome arrives. */
  readonly send: (call: WorkerCall) => void
  /** Cancels that call: it ends at its next check. */
  readonly cancel: (call: number) => void
  /** Lets the process exit while the worker is idle. */
  readonly unref: () => void
  readonly stop: () => Promise<void>
}

export type CallWorkerEvents = {
  readonly onReady: () => void
  readonly onOutcome: (id: number, outcome: Outcome) => void
  readonly onFault: (method: string, text: string) => void
  /** The worker could not start or has died; no event follows. Called at most once. */
  readonly onFailure: (cause: unknown) => void
}

const outcomeOf = (outcome: WorkerOutcome): Outcome =>
  'pieces' in outcome ? { result: restorePieces(outcome.pieces) } : outcome

/**
 * Starts a call worker and serves its store requests. An idle worker does not keep the process alive. @throws without threads
 */
export const startCallWorker = (
  chain: Chain,
  setup: Omit<CallWorkerSetup, 'buffer'>,
  events: CallWorkerEvents,
): CallWorker => {
  const buffer = createAnswerBuffer()
  const answers = createAnswerWriter(buffer)
  const trie = createPinnedTrie(chain)
  const thread = startThread<WorkerCall, FromCallWorker>(
    'call worker',
    new URL('./worker.ts', import.meta.url),
    {
      workerData: { ...setup, buffer } satisfies CallWorkerSetup,
      heapMbMax: HEAP_MB_MAX,
      onReady: events.onReady,
      onMessage: message => {
        switch (message.kind) {
          case 'request':
            // Never rejects.
            void answerStoreRequest(chain, trie, message.request).then(answers.write)
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
        }
      },
      onFailure: cause => {
        trie.release()
        answers.stop()
        events.onFailure(cause)
      },
    },
  )
  return {
    send: call => {
      thread.ref()
      thread.send(call)
    },
    cancel: answers.cancel,
    unref: thread.unref,
    stop: () => {
      trie.release()
      // Not every runtime can terminate a thread that blocks or computes: the worker also ends itself.
      answers.stop()
      return thread.stop()
    },
  }
}
