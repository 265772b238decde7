import type { Input, MessageInput } from '../../../core/qbft/input.ts'
import type { Log } from '../../logging/log.ts'
import type { YieldTurn } from '../../../core/scheduler.ts'
import { createYield } from '../../scheduler.ts'
import { createInputQueue } from './inputQueue.ts'

export type InputLoopOptions = {
  /** Maximum queued messages. */
  readonly messagesMax: number
  /** Processes one input to its end; `yieldTurn` lets other work run. */
  readonly process: (input: Input, yieldTurn: YieldTurn) => Promise<void>
  /** Called with a message beyond the limits of the queue. */
  readonly onRefused: (message: MessageInput) => void
  readonly log: Log
}

/** Processes the inputs of the state machine one at a time, in the order of their arrival. */
export type InputLoop = {
  /** Queues the result of running work, also while the node stops. */
  readonly put: (input: Input) => void
  /** Queues an input; ignored once the node stops. */
  readonly accept: (input: Input) => void
  /** From now on only results of running work are processed. */
  readonly stop: () => void
  /** Resolves when the queue is empty. */
  readonly drained: () => Promise<void>
}

export const createInputLoop = ({ messagesMax, process, onRefused, log }: InputLoopOptions): InputLoop => {
  const queue = createInputQueue(messagesMax)
  let isStopping = false
  let draining: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    const yieldTurn = createYield()
    for (let input = queue.shift(); input !== undefined; input = queue.shift()) {
      // The work that produced this input may have used up the time slice.
      await yieldTurn()
      try {
        await process(input, yieldTurn)
      } catch (error) {
        log.error('Consensus failed to process an input of kind {kind}: {error}', { kind: input.kind, error })
      }
    }
    draining = undefined
  }

  const put = (input: Input): void => {
    if (queue.push(input)) draining ??= Promise.resolve().then(drain)
    else if (input.kind === 'message') onRefused(input)
  }

  return {
    put,
    accept: input => {
      if (!isStopping) put(input)
    },
    stop: () => {
      isStopping = true
    },
    drained: async () => draining,
  }
}
