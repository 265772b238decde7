import type { HeadersQuery } from '../../../p2p/network.ts'
import { onNextTurn } from '../../scheduler.ts'
import { errorOf, type PlainError, plainError } from './errors.ts'
import { type JoinedBytes, joinList, splitList } from './joinedBytes.ts'

/** Maximum bytes of a list in flight: sent and not yet consumed by the other thread. */
const AHEAD_BYTES_MAX = 1024 * 1024

/** Bytes of one message: items of the same turn share it, because a message costs as much as some kilobytes. */
const MESSAGE_BYTES = 64 * 1024

/** Consumed bytes that are reported together; so few that the other thread continues meanwhile. */
const REPORTED_BYTES = AHEAD_BYTES_MAX / 4

/** `peer` is empty for a list of this node, otherwise the peer's address in hex digits. */
export type ListRequest = { readonly peer: string } & (
  | { readonly kind: 'blocks' | 'records'; readonly from: bigint; readonly count: number }
  | { readonly kind: 'pool hashes' }
  | { readonly kind: 'pool transactions'; readonly hashes: Uint8Array }
  | { readonly kind: 'headers'; readonly query: HeadersQuery }
  | { readonly kind: 'blocks by hash' | 'receipts by hash'; readonly hashes: Uint8Array }
)

export type ToListServer =
  | { readonly kind: 'open'; readonly id: number; readonly request: ListRequest }
  | { readonly kind: 'consumed'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'end'; readonly id: number }

export type ToListClient =
  | { readonly kind: 'items'; readonly id: number; readonly items: JoinedBytes }
  | { readonly kind: 'done'; readonly id: number; readonly error: PlainError | undefined }

type OpenList = {
  readonly items: Uint8Array[]
  done: { readonly error: Error | undefined } | undefined
  wake: () => void
}

export type ListClient = {
  /** Yields the items of a list as they arrive. @throws the other thread's error; `ended` when aborted */
  open(request: ListRequest, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined>
  receive(message: ToListClient): void
  /** Fails all open lists: the other thread has ended. */
  fail(error: Error): void
}

/** Copies each item into its own buffer, so that keeping one does not keep the whole message in memory. */
const itemsOf = (joined: JoinedBytes): readonly Uint8Array[] => {
  const items = splitList(joined)
  return items.length === 1 ? items : items.map(item => item.slice())
}

/** Requests lists from the other thread. The network limits how many are open at once. */
export const createListClient = (post: (message: ToListServer) => void, ended: () => Error): ListClient => {
  const open = new Map<number, OpenList>()
  let nextId = 0
  return {
    open: async function* (request, signal) {
      const id = nextId++
      const openList: OpenList = { items: [], done: undefined, wake: () => undefined }
      const abort = (): void => {
        openList.done = { error: ended() }
        openList.items.length = 0
        openList.wake()
      }
      if (signal?.aborted === true) throw ended()
      signal?.addEventListener('abort', abort, { once: true })
      open.set(id, openList)
      post({ kind: 'open', id, request })
      let consumed = 0
      try {
        for (;;) {
          const item = openList.items.shift()
          if (item !== undefined) {
            yield item
            consumed += item.length
            if (consumed < REPORTED_BYTES) continue
            post({ kind: 'consumed', id, bytes: consumed })
            consumed = 0
          } else if (openList.done !== undefined) {
            if (openList.done.error !== undefined) throw openList.done.error
            return
          } else
            await new Promise<void>(resolve => {
              openList.wake = resolve
            })
        }
      } finally {
        signal?.removeEventListener('abort', abort)
        open.delete(id)
        post({ kind: 'end', id })
      }
    },
    receive: message => {
      const openList = open.get(message.id)
      if (openList === undefined || openList.done !== undefined) return
      if (message.kind === 'items') openList.items.push(...itemsOf(message.items))
      else openList.done = { error: message.error === undefined ? undefined : errorOf(message.error) }
      openList.wake()
    },
    fail: error => {
      for (const openList of open.values()) {
        openList.done ??= { error }
        openList.wake()
      }
    },
  }
}

type Served = {
  /** Bytes that are sent, or wait to be, and are not consumed. */
  ahead: number
  /** Items that wait for others of the same turn, and their bytes. */
  waiting: Uint8Array[]
  waitingBytes: number
  wake: () => void
  readonly controller: AbortController
}

export type ListServer = { receive(message: ToListServer): void }

/** Sends lists to the other thread, no faster than it consumes them. */
export const createListServer = (
  post: (message: ToListClient, moved: readonly ArrayBuffer[]) => void,
  source: (request: ListRequest, signal: AbortSignal) => AsyncIterable<Uint8Array>,
): ListServer => {
  const served = new Map<number, Served>()

  const send = (id: number, one: Served): void => {
    if (one.waiting.length === 0) return
    const items = joinList(one.waiting)
    one.waiting = []
    one.waitingBytes = 0
    post({ kind: 'items', id, items }, [items.bytes.buffer])
  }

  const add = (id: number, one: Served, item: Uint8Array): void => {
    one.ahead += item.length
    one.waitingBytes += item.length
    if (one.waiting.push(item) === 1) onNextTurn(() => send(id, one))
    if (one.waitingBytes >= MESSAGE_BYTES) send(id, one)
  }

  const serve = async (id: number, request: ListRequest, one: Served): Promise<void> => {
    const { signal } = one.controller
    for await (const item of source(request, signal)) {
      if (signal.aborted) return
      add(id, one, item)
      while (one.ahead >= AHEAD_BYTES_MAX && !signal.aborted)
        await new Promise<void>(resolve => {
          one.wake = resolve
        })
    }
  }

  const open = async (id: number, request: ListRequest): Promise<void> => {
    const controller = new AbortController()
    const one: Served = { ahead: 0, waiting: [], waitingBytes: 0, wake: () => undefined, controller }
    served.set(id, one)
    let error: PlainError | undefined
    try {
      await serve(id, request, one)
    } catch (cause) {
      error = plainError(cause)
    }
    served.delete(id)
    send(id, one)
    post({ kind: 'done', id, error }, [])
  }

  return {
    receive: message => {
      if (message.kind === 'open') return void open(message.id, message.request)
      const one = served.get(message.id)
      if (one === undefined) return
      if (message.kind === 'consumed') one.ahead -= message.bytes
      else one.controller.abort()
      one.wake()
    },
  }
}
