import type { Connection, Stream } from '@libp2p/interface'
import { textOf } from './error.ts'
import { flushed } from './flush.ts'
import { encodeFrame } from './frames.ts'

/** Opening a stream takes one round trip; a peer that does not answer for this long is as good as gone. */
const OPEN_TIMEOUT_MS = 10_000

/** A peer that takes no byte for this long while there are some for it is as good as gone. */
export const STALL_TIMEOUT_MS = 15_000

/** Messages up to here are put together with their length before they are sent, longer ones not copied. */
const COPIED_BYTES_MAX = 64 * 1024

export type ChannelLimits = {
  /** Messages that wait for a slow peer; over it the oldest is dropped. */
  readonly messagesMax: number
  /** Bytes of them; over it the oldest is dropped. */
  readonly bytesMax: number
}

export type Channel = {
  /** Queues a message made of these parts behind those that wait. */
  send(...parts: readonly Uint8Array[]): void
  /** Resolves when nothing waits any more, or the channel has failed. */
  idle(): Promise<void>
}

type Waiting = { readonly parts: readonly Uint8Array[]; readonly bytes: number }

/**
 * A long-lived outbound stream of length-prefixed messages. One message at a time is given to libp2p, whose own
 * buffers have no bound, so that what waits, waits here, where the oldest gives way to the newest.
 */
export const openChannel = (
  connection: Connection,
  protocol: string,
  { messagesMax, bytesMax }: ChannelLimits,
  onFailure: (reason: string) => void,
): Channel => {
  const queue: Waiting[] = []
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

  const settle = (): void => {
    const woken = wakeIdle
    wakeIdle = []
    for (const wake of woken) wake()
  }

  const open = async (): Promise<void> => {
    state = 'opening'
    stream = await connection.newStream(protocol, { signal: AbortSignal.timeout(OPEN_TIMEOUT_MS) })
    state = 'open'
    await pump(stream)
  }

  const pump = async (to: Stream): Promise<void> => {
    state = 'sending'
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      queuedBytes -= next.bytes
      write(to, next)
      const waiting = flushed(to, STALL_TIMEOUT_MS)
      if (waiting !== undefined) await waiting
      if (state !== 'sending') return
    }
    state = 'open'
    settle()
  }

  return {
    send: (...parts) => {
      if (state === 'failed') return
      const bytes = parts.reduce((sum, part) => sum + part.length, 0)
      queue.push({ parts, bytes })
      queuedBytes += bytes
      while (queue.length > messagesMax || (queuedBytes > bytesMax && queue.length > 1))
        queuedBytes -= (queue.shift() as Waiting).bytes
      if (state === 'closed') open().catch(fail)
      else if (state === 'open') pump(stream as Stream).catch(fail)
    },
    idle: () =>
      new Promise(resolve => {
        if (state === 'failed' || state === 'open' || state === 'closed') resolve()
        else wakeIdle.push(resolve)
      }),
  }
}

const write = (stream: Stream, { parts, bytes }: Waiting): void => {
  if (bytes <= COPIED_BYTES_MAX) {
    stream.send(encodeFrame(...parts))
    return
  }
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, bytes)
  stream.send(length)
  for (const part of parts) stream.send(part)
}
