import { errorText } from '../../core/text/errorText.ts'
import type { Connection, Stream } from '@libp2p/interface'
import type { YieldTurn } from '../../core/scheduler.ts'
import { type Message, messageOf, sendFrames } from './sendFrames.ts'

/** Opening a stream takes one round trip; a peer that does not answer within this time counts as disconnected. */
const OPEN_TIMEOUT_MS = 10_000

/** Queued messages are joined to writes of this size. */
const BATCH_BYTES_MAX = 64 * 1024

export type ChannelLimits = {
  /** Queued messages; beyond it the oldest is dropped. */
  readonly messagesMax: number
  /** Queued bytes; beyond it the oldest message is dropped. */
  readonly bytesMax: number
}

export type ChannelOptions = {
  readonly limits: ChannelLimits
  /** Called between the parts of a long message. */
  readonly pause: YieldTurn
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

type State = {
  readonly connection: Connection
  readonly protocol: string
  readonly options: ChannelOptions
  readonly queue: Message[]
  queuedBytes: number
  stream: Stream | undefined
  stage: 'closed' | 'opening' | 'open' | 'sending' | 'failed'
  /** Called when the channel is idle. */
  waiters: (() => void)[]
}

const isIdle = ({ stage }: State): boolean => stage === 'failed' || stage === 'open' || stage === 'closed'

const wakeWaiters = (state: State): void => {
  const { waiters } = state
  state.waiters = []
  for (const wake of waiters) wake()
}

const fail = (state: State, cause: unknown): void => {
  if (state.stage === 'failed') return
  state.stage = 'failed'
  state.queue.length = 0
  state.queuedBytes = 0
  wakeWaiters(state)
  state.options.onFailure(errorText(cause))
}

/** Removes the messages of the next write from the queue. */
const takeBatch = (state: State): readonly Message[] => {
  let bytes = 0
  let count = 0
  for (const message of state.queue) {
    if (count > 0 && bytes + message.bytes > BATCH_BYTES_MAX) break
    bytes += message.bytes
    count++
  }
  state.queuedBytes -= bytes
  return state.queue.splice(0, count)
}

const pump = async (state: State, stream: Stream): Promise<void> => {
  while (state.queue.length > 0) {
    const sent = sendFrames(stream, takeBatch(state), state.options.pause)
    if (sent !== undefined) await sent
    if (state.stage !== 'sending') return
  }
  state.stage = 'open'
  wakeWaiters(state)
}

const open = async (state: State): Promise<void> => {
  const { connection, protocol } = state
  state.stage = 'opening'
  state.stream = await connection.newStream(protocol, { signal: AbortSignal.timeout(OPEN_TIMEOUT_MS) })
  state.stage = 'sending'
  await pump(state, state.stream)
}

/** Sends in a microtask, so that messages which one caller queues in a row become one write. */
const pumpSoon = (state: State): void => {
  state.stage = 'sending'
  queueMicrotask(() => void pump(state, state.stream as Stream).catch(cause => fail(state, cause)))
}

const send = (state: State, parts: readonly Uint8Array[]): void => {
  const { messagesMax, bytesMax } = state.options.limits
  if (state.stage === 'failed') return
  const message = messageOf(...parts)
  state.queue.push(message)
  state.queuedBytes += message.bytes
  while (state.queue.length > messagesMax || (state.queuedBytes > bytesMax && state.queue.length > 1))
    state.queuedBytes -= (state.queue.shift() as Message).bytes
  if (state.stage === 'closed') open(state).catch(cause => fail(state, cause))
  else if (state.stage === 'open') pumpSoon(state)
}

/**
 * A long-lived outbound stream of length-prefixed messages. Messages wait in a bounded queue, which drops the oldest, because
 * the buffers of libp2p have no limit: libp2p gets one write at a time.
 */
export const openChannel = (connection: Connection, protocol: string, options: ChannelOptions): Channel => {
  const state: State = {
    connection,
    protocol,
    options,
    queue: [],
    queuedBytes: 0,
    stream: undefined,
    stage: 'closed',
    waiters: [],
  }
  return {
    send: (...parts) => send(state, parts),
    get isIdle() {
      return isIdle(state)
    },
    idle: () =>
      new Promise(resolve => {
        if (isIdle(state)) resolve()
        else state.waiters.push(resolve)
      }),
  }
}
