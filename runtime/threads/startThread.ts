import { Worker } from 'node:worker_threads'

/** Messages of every worker besides its own: it takes messages; it has done what `stop` asked for. */
export type WorkerSignal = 'ready' | 'stopped'

/** The message that asks a worker to finish its work and to answer `stopped`. */
export const STOP = 'stop'

export type ThreadOptions<Received> = {
  readonly workerData?: unknown
  /** Heap limit in MB, honoured by Node. */
  readonly heapMbMax?: number
  /** Time that the worker has to answer `stopped` before it is terminated; by default it is terminated at once. */
  readonly stopMsMax?: number
  readonly onReady?: () => void
  readonly onMessage: (message: Received) => void
  /** The thread could not load or has died. Called at most once; no event follows. */
  readonly onFailure: (cause: unknown) => void
}

/** A worker thread. It keeps the process alive only between `ref` and `unref`. */
export type Thread<Sent> = {
  /** Sends a message and transfers the memory of `moved`; ignored once the thread has ended. */
  readonly send: (message: Sent, moved?: readonly ArrayBuffer[]) => void
  readonly ref: () => void
  readonly unref: () => void
  readonly hasEnded: () => boolean
  /** Ends the thread. No event follows the call, except messages while the worker finishes its work. */
  readonly stop: () => Promise<void>
}

type State<Received> = {
  readonly options: ThreadOptions<Received>
  readonly stopped: PromiseWithResolvers<void>
  phase: 'running' | 'stopping' | 'ended'
}

const failed = <Received>(state: State<Received>, cause: unknown): void => {
  state.stopped.resolve()
  if (state.phase === 'running') state.options.onFailure(cause)
  state.phase = 'ended'
}

const received = <Received>(state: State<Received>, message: Received | WorkerSignal): void => {
  if (state.phase === 'ended') return
  if (message !== 'ready' && message !== 'stopped') return state.options.onMessage(message)
  // A worker that was stopped before it was ready has no work to finish, and on Deno it never gets the stop message.
  if (state.phase === 'stopping') state.stopped.resolve()
  else if (message === 'ready') state.options.onReady?.()
}

/**
 * Starts a worker thread and reports its start, messages and failure.
 * @param name the thread's name in errors
 * @throws what the runtime throws if it has no (more) threads
 */
export const startThread = <Sent, Received>(
  name: string,
  url: URL,
  options: ThreadOptions<Received>,
): Thread<Sent> => {
  const { workerData, heapMbMax, stopMsMax = 0 } = options
  const worker = new Worker(url, {
    workerData,
    ...(heapMbMax === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMbMax } }),
  })
  const state: State<Received> = { options, stopped: Promise.withResolvers<void>(), phase: 'running' }
  worker.on('message', (message: Received | WorkerSignal) => received(state, message))
  worker.on('error', cause => failed(state, cause))
  worker.on('messageerror', cause => failed(state, cause))
  worker.on('exit', code => failed(state, new Error(`the ${name} ended with code ${code}`)))
  worker.unref()
  return {
    send: (message, moved = []) => {
      if (state.phase === 'running') worker.postMessage(message, [...moved])
    },
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    hasEnded: () => state.phase === 'ended',
    stop: async () => {
      if (state.phase === 'ended') return
      state.phase = 'stopping'
      if (stopMsMax > 0) {
        worker.postMessage(STOP, [])
        const timer = setTimeout(state.stopped.resolve, stopMsMax)
        await state.stopped.promise
        clearTimeout(timer)
      }
      state.phase = 'ended'
      await worker.terminate()
    },
  }
}
