import { errorOf, type PlainError, plainError } from './errors.ts'
import { ownBytes } from './packed.ts'

/** Blocks of a range that were sent to the other thread and not taken there yet: what is on its way while one is read. */
const AHEAD_BYTES_MAX = 1024 * 1024

export type RangeRequest = { readonly peer: string; readonly from: bigint; readonly count: number }

export type ToRangeServer =
  | { readonly kind: 'open'; readonly id: number; readonly request: RangeRequest }
  | { readonly kind: 'taken'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'end'; readonly id: number }

export type ToRangeClient =
  | { readonly kind: 'block'; readonly id: number; readonly block: Uint8Array }
  | { readonly kind: 'done'; readonly id: number; readonly error: PlainError | undefined }

type Asked = {
  readonly blocks: Uint8Array[]
  done: { readonly error: Error | undefined } | undefined
  wake: () => void
}

export type RangeClient = {
  /** What the other thread has of the range, as it comes. @throws what failed there, and `ended` at the signal */
  open(request: RangeRequest, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined>
  receive(message: ToRangeClient): void
  /** Nothing comes any more. */
  fail(error: Error): void
}

/** Asks the other thread for blocks; as many ranges are open at once as the network allows. */
export const createRangeClient = (
  post: (message: ToRangeServer) => void,
  ended: () => Error,
): RangeClient => {
  const open = new Map<number, Asked>()
  let nextId = 0
  return {
    open: async function* (request, signal) {
      const id = nextId++
      const asked: Asked = { blocks: [], done: undefined, wake: () => undefined }
      const abort = (): void => {
        asked.done = { error: ended() }
        asked.blocks.length = 0
        asked.wake()
      }
      if (signal?.aborted === true) throw ended()
      signal?.addEventListener('abort', abort, { once: true })
      open.set(id, asked)
      post({ kind: 'open', id, request })
      try {
        for (;;) {
          const block = asked.blocks.shift()
          if (block !== undefined) {
            yield block
            post({ kind: 'taken', id, bytes: block.length })
          } else if (asked.done !== undefined) {
            if (asked.done.error !== undefined) throw asked.done.error
            return
          } else
            await new Promise<void>(resolve => {
              asked.wake = resolve
            })
        }
      } finally {
        signal?.removeEventListener('abort', abort)
        open.delete(id)
        post({ kind: 'end', id })
      }
    },
    receive: message => {
      const asked = open.get(message.id)
      if (asked === undefined || asked.done !== undefined) return
      if (message.kind === 'block') asked.blocks.push(message.block)
      else asked.done = { error: message.error === undefined ? undefined : errorOf(message.error) }
      asked.wake()
    },
    fail: error => {
      for (const asked of open.values()) {
        asked.done ??= { error }
        asked.wake()
      }
    },
  }
}

type Served = { ahead: number; wake: () => void; readonly controller: AbortController }

/** Gives the other thread blocks, no faster than they are taken there. */
export const createRangeServer = (
  post: (message: ToRangeClient, moved: readonly ArrayBuffer[]) => void,
  source: (request: RangeRequest, signal: AbortSignal) => AsyncIterable<Uint8Array>,
): { receive(message: ToRangeServer): void } => {
  const served = new Map<number, Served>()

  const serve = async (id: number, request: RangeRequest, one: Served): Promise<void> => {
    const { signal } = one.controller
    for await (const bytes of source(request, signal)) {
      if (signal.aborted) return
      const block = ownBytes(bytes)
      one.ahead += block.length
      post({ kind: 'block', id, block }, [block.buffer])
      while (one.ahead >= AHEAD_BYTES_MAX && !signal.aborted)
        await new Promise<void>(resolve => {
          one.wake = resolve
        })
    }
  }

  const open = async (id: number, request: RangeRequest): Promise<void> => {
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
      if (message.kind === 'taken') one.ahead -= message.bytes
      else one.controller.abort()
      one.wake()
    },
  }
}
