/** Interval between looks at each node. */
const POLL_MS = 1_000

/** A node that is DOWN for less is not worth a line: one that starts waits for the others. */
const DOWN_MS_MIN = 5_000

/** Interval between lines of one node that stays DOWN. */
const TELL_INTERVAL_MS = 30_000

/** The network of this command is judged by its blocks alone: how many peers a node has says little here. */
const READINESS = '/readiness?minPeers=0&maxBlocksBehind=999999999'

export type WatchedNode = { readonly name: string; readonly url: string }

/** Why the node is DOWN; undefined while it is UP, or does not answer. */
const reasonOf = async (url: string, signal: AbortSignal): Promise<string | undefined> => {
  try {
    const response = await fetch(`${url}${READINESS}`, { signal })
    if (response.ok) return undefined
    const { reasons } = (await response.json()) as { readonly reasons?: readonly string[] }
    return reasons?.[0]
  } catch {
    // It has ended, which is told elsewhere.
    return undefined
  }
}

/** Tells why a node is DOWN: the same sentence that its log has. Returns the function that ends it. */
export const watchHealth = (
  nodes: readonly WatchedNode[],
  tell: (line: string) => void,
  {
    pollMs = POLL_MS,
    downMsMin = DOWN_MS_MIN,
  }: { readonly pollMs?: number; readonly downMsMin?: number } = {},
): (() => void) => {
  const ending = new AbortController()
  const { signal } = ending
  const downSinceMs = new Map<string, number>()
  const toldMs = new Map<string, number>()

  const look = async ({ name, url }: WatchedNode): Promise<void> => {
    const reason = await reasonOf(url, signal)
    if (signal.aborted) return
    if (reason === undefined) {
      downSinceMs.delete(name)
      toldMs.delete(name)
      return
    }
    const nowMs = performance.now()
    const sinceMs = downSinceMs.get(name) ?? nowMs
    downSinceMs.set(name, sinceMs)
    if (nowMs - sinceMs < downMsMin) return
    if (nowMs - (toldMs.get(name) ?? Number.NEGATIVE_INFINITY) < TELL_INTERVAL_MS) return
    toldMs.set(name, nowMs)
    tell(`${name} is DOWN: ${reason}`)
  }
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      await Promise.all(nodes.map(look))
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
  }
  void poll()
  return () => ending.abort()
}
