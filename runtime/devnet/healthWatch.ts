/** Interval between health checks of each node. */
const POLL_MS = 1_000

/** Minimum time DOWN before a line is printed: a starting node waits for the others. */
const DOWN_MS_MIN = 5_000

/** Interval between lines about a node that stays DOWN, or a network whose blocks stay stopped. */
export const PRINT_INTERVAL_MS = 30_000

/** Health check without peers, which say little in a local network, and without blocks, which stallWatch.ts reports. */
const READINESS = '/readiness?minPeers=0&maxBlocksBehind=999999999&disk=false&blocks=false'

export type WatchedNode = { readonly name: string; readonly url: string }

/** Why the node is DOWN; undefined while it is UP, or does not answer. */
const reasonOf = async (url: string, signal: AbortSignal): Promise<string | undefined> => {
  try {
    const response = await fetch(`${url}${READINESS}`, { signal })
    if (response.ok) return undefined
    const { reasons } = (await response.json()) as { readonly reasons?: readonly string[] }
    return reasons?.[0]
  } catch {
    // The node has ended; the command reports that elsewhere.
    return undefined
  }
}

/** Prints why a node is DOWN, with the sentence of its log. Returns the function that stops it. */
export const watchHealth = (
  nodes: readonly WatchedNode[],
  print: (line: string) => void,
  {
    pollMs = POLL_MS,
    downMsMin = DOWN_MS_MIN,
  }: { readonly pollMs?: number; readonly downMsMin?: number } = {},
): (() => void) => {
  const controller = new AbortController()
  const { signal } = controller
  const downSinceMs = new Map<string, number>()
  const printedMs = new Map<string, number>()

  const check = async ({ name, url }: WatchedNode): Promise<void> => {
    const reason = await reasonOf(url, signal)
    if (signal.aborted) return
    if (reason === undefined) {
      downSinceMs.delete(name)
      printedMs.delete(name)
      return
    }
    const nowMs = performance.now()
    const sinceMs = downSinceMs.get(name) ?? nowMs
    downSinceMs.set(name, sinceMs)
    if (nowMs - sinceMs < downMsMin) return
    if (nowMs - (printedMs.get(name) ?? Number.NEGATIVE_INFINITY) < PRINT_INTERVAL_MS) return
    printedMs.set(name, nowMs)
    print(`${name} is DOWN: ${reason}`)
  }
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      await Promise.all(nodes.map(check))
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
  }
  void poll()
  return () => controller.abort()
}
