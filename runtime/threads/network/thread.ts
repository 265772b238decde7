import { setImmediate } from 'node:timers'
import { startThread, type Thread } from '../startThread.ts'
import { errorOf } from './errors.ts'
import type { FromNetwork, NetworkSetup, ToNetwork } from './protocol.ts'

/** Timeout for a stopping worker to close its connections, which takes at most a second. */
const STOP_MS_MAX = 10_000

type Listening = { readonly enode: string; readonly port: number }

export type NetworkThread = Pick<Thread<ToNetwork>, 'send' | 'hasEnded' | 'stop'> & {
  /** Address the network listens on. @throws the worker's start error; NetworkThreadError */
  readonly started: Promise<Listening>
}

/** The runtime has no threads, or the network worker could not be loaded or has died. */
export class NetworkThreadError extends Error {
  override readonly name = 'NetworkThreadError'
  readonly code = 'NETWORK_THREAD_FAILED'
}

/** Messages of a running worker. */
export type RunningMessage = Exclude<FromNetwork, { readonly kind: 'listening' | 'failed' }>

const whenListening = async (
  listening: Promise<Listening>,
  { stop }: Pick<NetworkThread, 'stop'>,
): Promise<Listening> => {
  try {
    return await listening
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Starts the worker and its network.
 * @param onFailure called at most once, when the running worker dies; no message follows
 * @throws NetworkThreadError
 */
export const openNetworkThread = (
  setup: NetworkSetup,
  onMessage: (message: RunningMessage) => void,
  onFailure: (error: NetworkThreadError) => void,
): NetworkThread => {
  const listening = Promise.withResolvers<Listening>()
  let isRunning = false
  const thread = startWorker(
    setup,
    message => {
      if (message.kind === 'failed') return listening.reject(errorOf(message.error))
      if (message.kind !== 'listening') return onMessage(message)
      isRunning = true
      listening.resolve(message)
    },
    cause => {
      const error = new NetworkThreadError('the network worker has failed', { cause })
      listening.reject(error)
      if (!isRunning) return
      onFailure(error)
      // As on the main thread: an uncaught error ends the process, and its supervisor restarts it.
      setImmediate(() => {
        throw error
      })
    },
  )
  const { send, hasEnded, stop } = thread
  thread.ref()
  return { started: whenListening(listening.promise, thread), send, hasEnded, stop }
}

const startWorker = (
  workerData: NetworkSetup,
  onMessage: (message: FromNetwork) => void,
  onFailure: (cause: unknown) => void,
): Thread<ToNetwork> => {
  try {
    return startThread('network worker', new URL('./worker.ts', import.meta.url), {
      workerData,
      stopMsMax: STOP_MS_MAX,
      onMessage,
      onFailure,
    })
  } catch (cause) {
    throw new NetworkThreadError('the network worker cannot be started', { cause })
  }
}
