import type { Duplex } from 'node:stream'

/** Looks at each chunk of a connection before its client does. @throws AnswerRefused */
export type Guard = (chunk: Uint8Array) => void

/**
 * Puts a guard between a connection and the client library that reads it. What the guard refuses never reaches the library: the
 * connection ends with the guard's error instead.
 */
export const guardStream = (stream: Duplex, guard: Guard): void => {
  // Libraries put their listeners before others, so that none could refuse a chunk in time.
  const emit = stream.emit.bind(stream)
  let isRefused = false
  stream.emit = (event: string | symbol, ...given: unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...given)
    if (isRefused) return false
    try {
      guard(given[0] as Uint8Array)
    } catch (error) {
      isRefused = true
      stream.destroy(error as Error)
      return false
    }
    return emit(event, ...given)
  }
}
