/**
 * Why a body was not read: the client disconnected, the body is too long or has too many short chunks, it did not arrive in time, it
 * is compressed (not supported), or the bodies of all requests take too much memory or time.
 */
export type NoBody = {
  readonly reason: 'disconnected' | 'too-long' | 'too-many-chunks' | 'late' | 'encoded' | 'busy'
  readonly status: 400 | 413 | 408 | 415 | 503
}

export const DISCONNECTED: NoBody = { reason: 'disconnected', status: 400 }
export const TOO_LONG: NoBody = { reason: 'too-long', status: 413 }
export const TOO_MANY_CHUNKS: NoBody = { reason: 'too-many-chunks', status: 413 }
export const LATE: NoBody = { reason: 'late', status: 408 }
export const ENCODED: NoBody = { reason: 'encoded', status: 415 }
export const BUSY: NoBody = { reason: 'busy', status: 503 }
