import type { PeerConnection } from './connection.ts'

/** Latest messages that the offset is taken from: one that waited in a queue makes a clock look slow. */
const SAMPLES_MAX = 8

/** A change that is told although nothing else of the status changed. */
export const CLOCK_STEP_MS = 500

/** Notes the time that a peer told with a message. */
export const noteTime = (connection: PeerConnection, timeMs: number | undefined, nowMs: number): void => {
  if (timeMs === undefined) return
  connection.clockOffsetsMs = [...connection.clockOffsetsMs.slice(1 - SAMPLES_MAX), timeMs - nowMs]
}

/** The peer's clock minus that of this node, less the shortest way of a message; undefined until it told the time. */
export const clockOffsetOf = ({ clockOffsetsMs }: PeerConnection): number | undefined =>
  clockOffsetsMs.length === 0 ? undefined : Math.max(...clockOffsetsMs)
