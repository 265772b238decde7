/** A message that waits to be sent; `id` counts over all agreed protocols. */
export type Outgoing = { readonly id: number; readonly payload: Uint8Array }

/** Send priorities: a block must not delay a vote or a pong. */
export type Priority = 'base' | 'consensus' | 'eth'

type Limit = { readonly messagesMax: number; readonly bytesMax: number }

/**
 * Queues for a slow peer. Base messages are small and few. Of consensus messages the newest matter, and the oldest are
 * dropped. Of the rest, answers wait for room by themselves, and announcements are not queued beyond it.
 */
const LIMITS: Readonly<Record<Priority, Limit>> = {
  base: { messagesMax: 64, bytesMax: 64 * 1024 },
  consensus: { messagesMax: 1024, bytesMax: 20 * 1024 * 1024 },
  eth: { messagesMax: 1024, bytesMax: 16 * 1024 * 1024 },
}
/** Answers wait while more than this is queued. */
const SPACE_BYTES = 8 * 1024 * 1024
/** Encrypted bytes given to the socket at once: what waits there can no longer be overtaken by a vote. */
const SOCKET_BYTES_MAX = 256 * 1024
const PRIORITIES: readonly Priority[] = ['base', 'consensus', 'eth']

type Queue = { messages: Outgoing[]; bytes: number }

export type OutboxOptions = {
  /** Compresses, frames and encrypts a message. */
  readonly encode: (message: Outgoing) => Uint8Array
  /** Gives bytes to the socket, and calls back once they were written. */
  readonly write: (bytes: Uint8Array, written: () => void) => void
  readonly nowMs: () => number
}

export type Outbox = {
  /** Queues a message; false when it is not queued because there is no room. */
  send(priority: Priority, message: Outgoing): boolean
  /** Resolves when there is room for an answer, or when the outbox is closed. */
  hasSpace(): Promise<void>
  /** Resolves when everything was written, or when the outbox is closed. */
  idle(): Promise<void>
  /** Time since which queued bytes were not written; undefined while the queue is empty. */
  readonly stalledSinceMs: number | undefined
  close(): void
}

type State = {
  readonly options: OutboxOptions
  readonly queues: Readonly<Record<Priority, Queue>>
  /** Bytes given to the socket and not written. */
  writing: number
  progressAtMs: number
  closed: boolean
  waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[]
}

const queuedBytes = ({ queues }: State): number =>
  PRIORITIES.reduce((sum, priority) => sum + queues[priority].bytes, 0)

const nextMessage = ({ queues }: State): Outgoing | undefined => {
  for (const priority of PRIORITIES) {
    const queue = queues[priority]
    const message = queue.messages.shift()
    if (message === undefined) continue
    queue.bytes -= message.payload.length
    return message
  }
  return undefined
}

const wake = (state: State): void => {
  const met = state.waiting.filter(({ isMet }) => state.closed || isMet())
  if (met.length === 0) return
  state.waiting = state.waiting.filter(waiter => !met.includes(waiter))
  for (const { resolve } of met) resolve()
}

const pump = (state: State): void => {
  const { options } = state
  while (!state.closed && state.writing < SOCKET_BYTES_MAX) {
    const message = nextMessage(state)
    if (message === undefined) break
    const bytes = options.encode(message)
    if (state.writing === 0) state.progressAtMs = options.nowMs()
    state.writing += bytes.length
    options.write(bytes, () => {
      state.writing -= bytes.length
      state.progressAtMs = options.nowMs()
      pump(state)
    })
  }
  wake(state)
}

const send = (state: State, priority: Priority, message: Outgoing): boolean => {
  const { messagesMax, bytesMax } = LIMITS[priority]
  const queue = state.queues[priority]
  const isFull = (): boolean =>
    queue.messages.length >= messagesMax || queue.bytes + message.payload.length > bytesMax
  if (state.closed || message.payload.length > bytesMax) return false
  if (priority === 'consensus') while (isFull()) queue.bytes -= queue.messages.shift()?.payload.length ?? 0
  if (isFull()) return false
  queue.messages.push(message)
  queue.bytes += message.payload.length
  pump(state)
  return true
}

/** The messages queued for a socket, encrypted in the order in which they are sent. */
export const createOutbox = (options: OutboxOptions): Outbox => {
  const state: State = {
    options,
    queues: {
      base: { messages: [], bytes: 0 },
      consensus: { messages: [], bytes: 0 },
      eth: { messages: [], bytes: 0 },
    },
    writing: 0,
    progressAtMs: options.nowMs(),
    closed: false,
    waiting: [],
  }
  const until = (isMet: () => boolean): Promise<void> =>
    state.closed || isMet()
      ? Promise.resolve()
      : new Promise(resolve => void state.waiting.push({ isMet, resolve }))
  return {
    send: (priority, message) => send(state, priority, message),
    hasSpace: () => until(() => queuedBytes(state) < SPACE_BYTES),
    idle: () => until(() => state.writing === 0 && queuedBytes(state) === 0),
    get stalledSinceMs() {
      return state.writing > 0 ? state.progressAtMs : undefined
    },
    close: () => {
      state.closed = true
      for (const priority of PRIORITIES) state.queues[priority].messages = []
      wake(state)
    },
  }
}
