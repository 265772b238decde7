/**
 * Blocks of one write, and bytes of their records: a first fill takes few round trips, and a write stays a matter of seconds.
 */
export const BATCH_BLOCKS_MAX = 64
export const BATCH_BYTES_MAX = 4 * 1024 * 1024

/** Delay before the next attempt after a failure; doubled for each failure in a row, up to the maximum. */
export const REPLICATION_RETRY_MS = 1_000
export const RETRY_MS_MAX = 30_000

/** Interval at which a fenced writer checks the replica; it takes the replica over after an interval without writes. */
export const FENCED_CHECK_MS = 10_000
export const FENCED_SILENCE_MS = 60_000

/** A lag of more seconds is reported in the log, at this interval. */
export const LAG_REPORTED_SECONDS = 10
export const LAG_REPORT_MS = 30_000

/**
 * A store that has not answered a request for so many seconds counts as silent: a busy server answers a batch of megabytes within
 * two. Checked at this interval.
 */
export const SILENCE_SECONDS = 5
export const SILENCE_CHECK_MS = 1_000

/** Maximum wait of a stop for a write in progress: a silent server must not delay the end of the node. */
export const STOP_MS_MAX = 2_000
