/** Besu's log levels, from none to all. */
export const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
