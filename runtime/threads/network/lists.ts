import type { HeadersQuery } from '../../../p2p/network.ts'
import { errorOf, type PlainError, plainError } from './errors.ts'
import { ownBytes } from './joinedBytes.ts'

/** Maximum bytes of a list in flight: sent and not yet consumed by the other thread. */
const AHEAD_BYTES_MAX = 1024 * 1024

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
  | { readonly kind: 'item'; readonly id: number; readonly item: Uint8Array }
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
      try {
        for (;;) {
          const item = openList.items.shift()
          if (item !== undefined) {
            yield item
            post({ kind: 'consumed', id, bytes: item.length })
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
      if (message.kind === 'item') openList.items.push(message.item)
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

type Served = { ahead: number; wake: () => void; readonly controller: AbortController }

export type ListServer = { receive(message: ToListServer): void }

/** Sends lists to the other thread, no faster than it consumes them. */
export const createListServer = (
  post: (message: ToListClient, moved: readonly ArrayBuffer[]) => void,
  source: (request: ListRequest, signal: AbortSignal) => AsyncIterable<Uint8Array>,
): ListServer => {
  const served = new Map<number, Served>()

  const serve = async (id: number, request: ListRequest, one: Served): Promise<void> => {
    const { signal } = one.controller
    for await (const bytes of source(request, signal)) {
      if (signal.aborted) return
      const item = ownBytes(bytes)
      one.ahead += item.length
      post({ kind: 'item', id, item }, [item.buffer])
      while (one.ahead >= AHEAD_BYTES_MAX && !signal.aborted)
        await new Promise<void>(resolve => {
          one.wake = resolve
        })
    }
  }

  const open = async (id: number, request: ListRequest): Promise<void> => {
    const one: Served = { ahead: 0, wake: () => undefined, controller: new AbortController() }
    served.set(id, one)
    let error: PlainError | undefined
    try {
      await serve(id, request, one)
    } catch (cause) {
      error = plainError(cause)
    }
    served.delete(id)
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
