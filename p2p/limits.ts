/** Limits and intervals of both transports. */

/** Interval between dial attempts. */
export const DIAL_INTERVAL_MS = 250
/** Concurrent dials. */
export const DIALS_MAX = 16
/** Interval between checks of the connections: keep-alive messages, time limits, permissions. */
export const SUPERVISION_INTERVAL_MS = 1_000
/** Connections that are not peers: handshakes, duplicates, and nodes that are being refused. */
export const RESERVED_CONNECTIONS = 64
/** Interval between two reports of a connection, or of a peer, that exceeds its rate. */
export const EXCEEDED_INTERVAL_MS = 500
