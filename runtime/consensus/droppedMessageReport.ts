import type { Log } from '../logging/log.ts'

/** Between the first message of a kind that no honest peer sends and the line that tells of it: others mostly follow. */
const FIRST_AFTER_MS = 5_000
/** Between two lines: a flood must not fill the log as well. */
const AGAIN_AFTER_MS = 60_000

/** Peers told apart in one line; keys cost nothing, so that more are counted together. */
const PEERS_MAX = 16

const REST = 'others'

export type DropReport = {
  /** A message of the peer was not used; `suspicious` when honest peers send none like it. */
  note(peer: string, reason: string, suspicious: boolean): void
  stop(): void
}

/** Tells at most once a minute what was dropped, by reason and peer, when there was something that no honest peer sends. */
export const createDropReport = (log: Log): DropReport => {
  let counts = new Map<string, Map<string, number>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let toldAtMs = -Infinity

  const tell = (): void => {
    timer = undefined
    toldAtMs = performance.now()
    let total = 0
    const peers = [...counts].map(([peer, reasons]) => {
      for (const count of reasons.values()) total += count
      return `${peer}: ${[...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ')}`
    })
    const byPeer = Object.fromEntries(
      [...counts].map(([peer, reasons]) => [peer, Object.fromEntries(reasons)]),
    )
    counts = new Map()
    log.warn('{total} consensus messages were not used. By peer: {peers}', {
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
      const dueMs = Math.max(FIRST_AFTER_MS, toldAtMs + AGAIN_AFTER_MS - performance.now())
      timer = setTimeout(tell, dueMs)
    },
    stop: () => clearTimeout(timer),
  }
}
