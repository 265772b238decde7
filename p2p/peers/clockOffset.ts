import type { PeerConnection } from './connection.ts'

/** Recent messages that determine the offset: one that waited in a queue makes a clock look slow. */
const SAMPLES_MAX = 8

/** A change of the offset that is reported even if the status is unchanged. */
export const CLOCK_STEP_MS = 500

/** Records the time that a peer sent with a message. */
export const recordTime = (connection: PeerConnection, timeMs: number | undefined, nowMs: number): void => {
  if (timeMs === undefined) return
  connection.clockOffsetsMs = [...connection.clockOffsetsMs.slice(1 - SAMPLES_MAX), timeMs - nowMs]
}

/** The peer's clock minus that of this node, less the shortest delay of a message; undefined until the peer sent its time. */
export const clockOffsetOf = ({ clockOffsetsMs }: PeerConnection): number | undefined =>
  clockOffsetsMs.length === 0 ? undefined : Math.max(...clockOffsetsMs)
