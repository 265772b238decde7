import { FetchError } from '../errors.ts'

/** Events that wait for a client that reads too slowly; it is told and let go beyond. */
export const WAITING_EVENTS_MAX = 1_000

/** What comes to one subscriber, in order; ends when it is closed, or asks for it. */
export type Feed<T> = {
  readonly next: () => Promise<IteratorResult<T, undefined>>
  readonly close: () => void
}

const DONE = { done: true, value: undefined } as const

/**
 * A feed of what `listen` passes on.
 * @param listen gives the function that ends listening, which is called once.
 * @param onEnd called once, however it ends.
 */
export const createFeed = <T>(
  listen: (push: (event: T) => void) => () => void,
  onEnd: () => void,
): Feed<T> => {
  const waiting: T[] = []
  let wake: (() => void) | undefined
  let ended = false
  let overrun = false

  const close = (): void => {
    if (ended) return
    ended = true
    unlisten()
    onEnd()
    wake?.()
  }
  const unlisten = listen(event => {
    if (ended) return
    if (waiting.length >= WAITING_EVENTS_MAX) {
      overrun = true
      waiting.length = 0
      close()
      return
    }
    waiting.push(event)
    wake?.()
  })

  return {
    close,
    next: async () => {
      for (;;) {
        if (waiting.length > 0) return { done: false, value: waiting.shift() as T }
        if (overrun) {
          overrun = false
          throw new FetchError(
            `The subscription was ended: ${WAITING_EVENTS_MAX} events waited for the client. Subscribe again and read faster.`,
          )
        }
        if (ended) return DONE
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
  }
}

/**
 * What becomes of the events of a feed, each several or nothing; undefined ends it. No generator: one that waits for an event
 * could not be told that nobody waits for it any more.
 */
export const mapFeed = <T>(
  feed: Feed<T>,
  map: (event: T) => Promise<readonly unknown[] | undefined>,
): AsyncIterableIterator<unknown> => {
  let ready: readonly unknown[] = []
  let given = 0
  const iterator: AsyncIterableIterator<unknown> = {
    [Symbol.asyncIterator]: () => iterator,
    next: async () => {
      for (;;) {
        if (given < ready.length) return { done: false, value: ready[given++] }
        const event = await feed.next()
        if (event.done === true) return DONE
        let outcome: readonly unknown[] | undefined
        try {
          outcome = await map(event.value)
        } finally {
          // Nobody asks again, or closes it, after an error either.
          if (outcome === undefined) feed.close()
        }
        if (outcome === undefined) return DONE
        ready = outcome
        given = 0
      }
    },
    return: () => {
      feed.close()
      return Promise.resolve(DONE)
    },
  }
  return iterator
}
