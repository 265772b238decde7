/** A head that was read less long ago is used again: a busy reader reads it two hundred times a second at most. */
export const HEAD_TTL_MS = 5

/** Interval of reading the head where no request asks for it. */
export const HEAD_POLL_MS = 50

/** Maximum wait of a request for the head; if the store is silent, the last known head is used. */
export const HEAD_WAIT_MS = 1_000

/** A store that does not answer a read of its head for so long is reported as silent: a busy server answers within two seconds. */
export const HEAD_SILENCE_MS = 5_000

/** Memory of what never changes: records, headers, code, full pages of history. */
export const IMMUTABLE_CACHE_BYTES = 128 * 1024 * 1024

/** The same error is logged once in this time: a store that is gone makes every request fail. */
export const ERROR_LOG_MS = 10_000
