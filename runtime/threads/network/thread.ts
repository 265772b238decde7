import { setImmediate } from 'node:timers'
import { Worker } from 'node:worker_threads'
import { errorOf } from './errors.ts'
import type { FromNetwork, NetworkSetup, ToNetwork } from './protocol.ts'

/** Timeout for a stopping worker to close its connections, which takes at most a second. */
const STOP_MS_MAX = 10_000

export type NetworkThread = {
  /** Address the network listens on. @throws the worker's start error; NetworkThreadError */
  readonly started: Promise<{ readonly enode: string; readonly port: number }>
  /** Sends a message; ignored once the worker has ended. */
  readonly post: (message: ToNetwork, moved?: readonly ArrayBuffer[]) => void
  readonly hasEnded: () => boolean
  readonly stop: () => Promise<void>
}

/** The runtime has no threads, or the network worker could not be loaded or has died. */
export class NetworkThreadError extends Error {
  override readonly name = 'NetworkThreadError'
  readonly code = 'NETWORK_THREAD_FAILED'
}

/** Messages of a running worker. */
export type RunningMessage = Exclude<FromNetwork, { readonly kind: 'ready' | 'failed' | 'stopped' }>

/**
 * Starts the worker and its network.
 * @param onFailure called at most once, when the running worker dies; no message follows
 * @throws NetworkThreadError
 */
export const startThread = (
  setup: NetworkSetup,
  onMessage: (message: RunningMessage) => void,
  onFailure: (error: NetworkThreadError) => void,
): NetworkThread => {
  const worker = newWorker(setup)
  const started = Promise.withResolvers<Extract<FromNetwork, { readonly kind: 'ready' }>>()
  const stopped = Promise.withResolvers<void>()
  let state: 'starting' | 'running' | 'ended' = 'starting'

  const end = async (): Promise<void> => {
    state = 'ended'
    await worker.terminate()
  }
  const fail = (cause: unknown): void => {
    if (state === 'ended') return
    const wasRunning = state === 'running'
    state = 'ended'
    const error = new NetworkThreadError('the network worker has failed', { cause })
    stopped.resolve()
    started.reject(error)
    if (!wasRunning) return
    onFailure(error)
    // As on the main thread: an uncaught error ends the process, and its supervisor restarts it.
    setImmediate(() => {
      throw error
    })
  }
  worker.on('message', (message: FromNetwork) => {
    if (message.kind === 'ready') started.resolve(message)
    else if (message.kind === 'failed') started.reject(errorOf(message.error))
    else if (message.kind === 'stopped') stopped.resolve()
    else onMessage(message)
  })
  worker.on('error', fail)
  worker.on('messageerror', fail)
  worker.on('exit', code => fail(new Error(`it ended with code ${code}`)))

  const post = (message: ToNetwork, moved: readonly ArrayBuffer[] = []): void => {
    if (state !== 'ended') worker.postMessage(message, [...moved])
  }
  const listening = async (): Promise<{ readonly enode: string; readonly port: number }> => {
    try {
      const ready = await started.promise
      state = 'running'
      return ready
    } catch (error) {
      await end()
      throw error
    }
  }
  return {
    started: listening(),
    post,
    hasEnded: () => state === 'ended',
    stop: async () => {
      if (state === 'ended') return
      post({ kind: 'stop' })
      const timer = setTimeout(stopped.resolve, STOP_MS_MAX)
      await stopped.promise
      clearTimeout(timer)
      await end()
    },
  }
}

const newWorker = (workerData: NetworkSetup): Worker => {
  try {
    return new Worker(new URL('./worker.ts', import.meta.url), { workerData })
  } catch (cause) {
    throw new NetworkThreadError('the network worker cannot be started', { cause })
  }
}
