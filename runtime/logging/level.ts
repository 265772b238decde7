/** Besu's levels, from nothing to everything. */
export const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
