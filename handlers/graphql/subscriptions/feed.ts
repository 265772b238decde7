import { FetchError } from '../errors.ts'

/** Maximum number of events queued for a slow client; beyond it the subscription ends with an error. */
export const WAITING_EVENTS_MAX = 1_000

/** The events of one subscriber in order; ends when it is closed, or when the subscriber returns. */
export type Feed<T> = {
  readonly next: () => Promise<IteratorResult<T, undefined>>
  readonly close: () => void
}

const DONE = { done: true, value: undefined } as const

/**
 * A feed of the events of `listen`. @param listen returns the function that stops listening; it is called once. @param
 * onEnd called once at the end, whatever its reason.
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
 * Converts each event of a feed into any number of events; undefined ends it. This is not a generator because a generator
 * that waits for an event cannot be cancelled.
 */
export const mapFeed = <T>(
  feed: Feed<T>,
  map: (event: T) => Promise<readonly unknown[] | undefined>,
): AsyncIterableIterator<unknown> => {
  let ready: readonly unknown[] = []
  let delivered = 0
  const iterator: AsyncIterableIterator<unknown> = {
    [Symbol.asyncIterator]: () => iterator,
    next: async () => {
      for (;;) {
        if (delivered < ready.length) return { done: false, value: ready[delivered++] }
        const event = await feed.next()
        if (event.done === true) return DONE
        let outcome: readonly unknown[] | undefined
        try {
          outcome = await map(event.value)
        } finally {
          // After an error the consumer neither reads on nor closes the feed.
          if (outcome === undefined) feed.close()
        }
        if (outcome === undefined) return DONE
        ready = outcome
        delivered = 0
      }
    },
    return: () => {
      feed.close()
      return Promise.resolve(DONE)
    },
  }
  return iterator
}
