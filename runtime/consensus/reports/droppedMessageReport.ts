import type { Log } from '../../logging/log.ts'

/** Delay between the first suspicious message and its log line: more usually follow. */
const FIRST_AFTER_MS = 5_000
/** Minimum interval between two lines, so that a flood does not fill the log. */
const AGAIN_AFTER_MS = 60_000

/** Maximum peers named in one line. Node keys cost nothing, so further peers are counted together. */
const PEERS_MAX = 16

const REST = 'others'

export type DroppedMessageReport = {
  /** Counts a dropped message; `suspicious` if no honest peer sends one like it. */
  note(peer: string, reason: string, suspicious: boolean): void
  stop(): void
}

/** Logs the dropped messages by peer and reason, at most once a minute and only if any was suspicious. */
export const createDroppedMessageReport = (log: Log): DroppedMessageReport => {
  let counts = new Map<string, Map<string, number>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let loggedAtMs = -Infinity

  const logCounts = (): void => {
    timer = undefined
    loggedAtMs = performance.now()
    let total = 0
    const peers = [...counts].map(([peer, reasons]) => {
      for (const count of reasons.values()) total += count
      return `${peer}: ${[...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ')}`
    })
    const byPeer = Object.fromEntries(
      [...counts].map(([peer, reasons]) => [peer, Object.fromEntries(reasons)]),
    )
    counts = new Map()
    log.warn('Dropped {total} consensus messages. By peer: {peers}', {
      total,
      peers: peers.join('; '),
      byPeer,
    })
  }

  const reasonsOf = (peer: string): Map<string, number> => {
    const name = counts.has(peer) || counts.size < PEERS_MAX ? peer : REST
    const known = counts.get(name) ?? new Map<string, number>()
    counts.set(name, known)
    return known
  }

  return {
    note: (peer, reason, suspicious) => {
      const reasons = reasonsOf(peer)
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      if (!suspicious || timer !== undefined) return
      const dueMs = Math.max(FIRST_AFTER_MS, loggedAtMs + AGAIN_AFTER_MS - performance.now())
      timer = setTimeout(logCounts, dueMs)
    },
    stop: () => clearTimeout(timer),
  }
}
