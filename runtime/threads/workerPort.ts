import { type MessagePort, parentPort } from 'node:worker_threads'
import { STOP, type WorkerSignal } from './startThread.ts'

/** The worker's side of `startThread`. */
export type WorkerPort<Sent> = {
  /** Sends a message and transfers the memory of `moved`. */
  readonly post: (message: Sent | WorkerSignal, moved?: readonly ArrayBuffer[]) => void
}

/**
 * Opens the port to the thread that started this worker. A worker posts `ready` once it takes messages.
 * @param onMessage with the type of the messages that thread sends
 * @param finish called by a stopping thread; the worker answers `stopped` when it resolves
 * @throws Error outside a worker thread
 */
export const openWorkerPort = <Sent>(
  onMessage: (message: never) => void,
  finish: () => Promise<void> = () => Promise.resolve(),
): WorkerPort<Sent> => {
  const port: MessagePort | null = parentPort
  if (port === null) throw new Error('this module runs on a worker thread only')
  const post = (message: Sent | WorkerSignal, moved: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, [...moved])
  port.on('message', (message: unknown) => {
    if (message === STOP) void finish().then(() => post('stopped'))
    else onMessage(message as never)
  })
  return { post }
}
