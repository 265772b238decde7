import type { Connection, Stream } from '@libp2p/interface'
import { textOf } from '../error.ts'
import { type Message, messageOf, sendFrames } from './sendFrames.ts'

/** Opening a stream takes one round trip; a peer that does not answer within this time counts as disconnected. */
const OPEN_TIMEOUT_MS = 10_000

/** Waiting messages are joined to writes of this size. */
const BATCH_BYTES_MAX = 64 * 1024

export type ChannelLimits = {
  /** Queued messages; beyond it the oldest is dropped. */
  readonly messagesMax: number
  /** Queued bytes; beyond it the oldest message is dropped. */
  readonly bytesMax: number
}

export type ChannelOptions = {
  readonly limits: ChannelLimits
  /** Called between the parts of a long message; see NetworkOptions. */
  readonly pause: () => Promise<void>
  readonly onFailure: (reason: string) => void
}

export type Channel = {
  /** Queues a message that consists of these parts. */
  send(...parts: readonly Uint8Array[]): void
  /** True when the queue is empty, or the channel has failed. */
  readonly isIdle: boolean
  /** Resolves when the channel is idle. */
  idle(): Promise<void>
}

/**
 * A long-lived outbound stream of length-prefixed messages. It hands one message at a time to libp2p, whose own buffers have
 * no bound: messages wait in the queue here, which drops the oldest.
 */
export const openChannel = (
  connection: Connection,
  protocol: string,
  { limits: { messagesMax, bytesMax }, pause, onFailure }: ChannelOptions,
): Channel => {
  const queue: Message[] = []
  let queuedBytes = 0
  let stream: Stream | undefined
  let state: 'closed' | 'opening' | 'open' | 'sending' | 'failed' = 'closed'
  let wakeIdle: (() => void)[] = []

  const fail = (cause: unknown): void => {
    if (state === 'failed') return
    state = 'failed'
    queue.length = 0
    queuedBytes = 0
    settle()
    onFailure(textOf(cause))
  }

  const isIdle = (): boolean => state === 'failed' || state === 'open' || state === 'closed'

  const settle = (): void => {
    const woken = wakeIdle
    wakeIdle = []
    for (const wake of woken) wake()
  }

  const open = async (): Promise<void> => {
    state = 'opening'
    stream = await connection.newStream(protocol, { signal: AbortSignal.timeout(OPEN_TIMEOUT_MS) })
    state = 'sending'
    await pump(stream)
  }

  /** Takes the messages of the next write. */
  const takeBatch = (): readonly Message[] => {
    let bytes = 0
    let count = 0
    for (const message of queue) {
      if (count > 0 && bytes + message.bytes > BATCH_BYTES_MAX) break
      bytes += message.bytes
      count++
    }
    queuedBytes -= bytes
    return queue.splice(0, count)
  }

  const pump = async (to: Stream): Promise<void> => {
    while (queue.length > 0) {
      const waiting = sendFrames(to, takeBatch(), pause)
      if (waiting !== undefined) await waiting
      if (state !== 'sending') return
    }
    state = 'open'
    settle()
  }

  /** In a microtask, so that messages sent by one caller in a row become one write. */
  const pumpSoon = (): void => {
    state = 'sending'
    queueMicrotask(() => void pump(stream as Stream).catch(fail))
  }

  return {
    send: (...parts) => {
      if (state === 'failed') return
      const message = messageOf(...parts)
      queue.push(message)
      queuedBytes += message.bytes
      while (queue.length > messagesMax || (queuedBytes > bytesMax && queue.length > 1))
        queuedBytes -= (queue.shift() as Message).bytes
      if (state === 'closed') open().catch(fail)
      else if (state === 'open') pumpSoon()
    },
    get isIdle() {
      return isIdle()
    },
    idle: () =>
      new Promise(resolve => {
        if (isIdle()) resolve()
        else wakeIdle.push(resolve)
      }),
  }
}
