/**
 * Bytes a millisecond: an attacker with 1 Gbit/s. At the speed of the loopback interface the attacker and the kernel's
 * copies take both cores from the nodes, which no attacker from elsewhere can.
 */
const UPLINK_BYTES_PER_MS = 125_000
const TICK_MS = 10

/** A line that sends so many bytes a millisecond, shared by all connections of an attacker. */
export type Uplink = {
  /** Whether the line takes bytes now; where it does not, it calls `write` when it does again. */
  readonly isFree: (write: () => void) => boolean
  readonly take: (bytes: number) => void
  readonly stop: () => void
}

export const startUplink = (): Uplink => {
  const waiting = new Set<() => void>()
  let bytesLeft = 0
  const timer = setInterval(() => {
    bytesLeft = TICK_MS * UPLINK_BYTES_PER_MS
    const writes = [...waiting]
    waiting.clear()
    for (const write of writes) write()
  }, TICK_MS)
  return {
    isFree: write => {
      if (bytesLeft <= 0) waiting.add(write)
      return bytesLeft > 0
    },
    take: bytes => {
      bytesLeft -= bytes
    },
    stop: () => clearInterval(timer),
  }
}
